# What `make install` puts under the prefix, beside the tool and the images. Each build tree installs what it
# made; the images lie where the tool looks for them, whatever the prefix.

# The agent for one's own firmware: -Iinclude -Llib/netdyno/PROCESSOR -lnd_core, and a port in source. The kernels
# stand alone.
install(TARGETS nd_core nd_probes nd_kernels nd_kernel_command ARCHIVE DESTINATION lib/netdyno/${CMAKE_SYSTEM_PROCESSOR})

if(NOT CMAKE_CROSSCOMPILING)
    install(DIRECTORY include/nd DESTINATION include FILES_MATCHING PATTERN "*.h")
    install(DIRECTORY docs/ DESTINATION share/man/man1 FILES_MATCHING PATTERN "*.1")
    install(DIRECTORY docs/ DESTINATION share/doc/netdyno FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
    install(FILES README.md CHANGELOG.md LICENSE DESTINATION share/doc/netdyno)
endif()

# What `make install` puts under the prefix, beside the tool and the images. Each build tree installs what it
# made; the images lie where the tool looks for them, whatever the prefix.

# The agent for one's own firmware: -Iinclude -Llib/netdyno/PROCESSOR -lnd_core, and a port in source. The kernels
# stand alone.
install(TARGETS nd_core nd_probes nd_kernels nd_kernel_command ARCHIVE DESTINATION lib/netdyno/${CMAKE_SYSTEM_PROCESSOR})

if(NOT CMAKE_CROSSCOMPILING)
    # The agent in two files, and the ports in source: a firmware compiles them with its own flags.
    set(amalgamation ${CMAKE_BINARY_DIR}/amalgamation)
    file(GLOB agent_sources CONFIGURE_DEPENDS core/*.c core/*.h include/nd/*.h)
    add_custom_command(
        OUTPUT ${amalgamation}/netdyno.c ${amalgamation}/netdyno.h
        COMMAND ${PROJECT_SOURCE_DIR}/scripts/amalgamate ${amalgamation}
        DEPENDS scripts/amalgamate cmake/version.cmake ${agent_sources})
    add_custom_target(amalgamation ALL DEPENDS ${amalgamation}/netdyno.c ${amalgamation}/netdyno.h)
    install(FILES ${amalgamation}/netdyno.h DESTINATION include)
    install(FILES ${amalgamation}/netdyno.c DESTINATION share/netdyno)
    install(DIRECTORY ports DESTINATION share/netdyno FILES_MATCHING PATTERN "*.[ch]" PATTERN "posix" EXCLUDE)

    # find_package(netdyno) and pkg-config. Both find the rest by their own place, whatever the prefix.
    set(ND_PROCESSOR ${CMAKE_SYSTEM_PROCESSOR})
    configure_file(cmake/netdyno.pc.in netdyno.pc @ONLY)
    include(CMakePackageConfigHelpers)
    write_basic_package_version_file(${CMAKE_BINARY_DIR}/netdyno-config-version.cmake
        VERSION ${ND_RELEASE} COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
    install(FILES cmake/netdyno-config.cmake ${CMAKE_BINARY_DIR}/netdyno-config-version.cmake
        DESTINATION share/netdyno/cmake)
    install(FILES ${CMAKE_BINARY_DIR}/netdyno.pc DESTINATION lib/pkgconfig)

    install(DIRECTORY include/nd DESTINATION include FILES_MATCHING PATTERN "*.h")
    install(DIRECTORY docs/ DESTINATION share/man/man1 FILES_MATCHING PATTERN "*.1")
    install(DIRECTORY docs/ DESTINATION share/doc/netdyno FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
    install(FILES README.md CHANGELOG.md LICENSE DESTINATION share/doc/netdyno)
endif()

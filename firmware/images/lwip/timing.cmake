# netdyno-lwip-timing-BOARD: the agent over lwIP, with the timing table and the leak check; for boards
# other than lpc1768 and fast built on request. Beside it, for the tests and not for every board, images in which something is wrong or missing:
#
#   -timing-lto-BOARD      lwIP joined by the optimiser of the whole program, so that --wrap is lost
#   -timing-nocheck-BOARD  no checksum of a received packet is looked at
#   -timing-nosum-BOARD    no checksum is made either
#   -timing-nostats-BOARD  lwIP without statistics: memory as the probes see it
#   -timing-leak-BOARD     a buffer is lost with every 100th frame
#   -timing-smallheap-BOARD  the heap is smaller than a full send buffer
#   -timing-plants-BOARD   a console command stalls the main loop or overruns the stack

# Functions that the linker directs to probes/lwip/lwip_wrap.c.
set(nd_lwip_wrapped mem_malloc mem_free mem_trim memp_malloc memp_free pbuf_alloc pbuf_free)

#   nd_add_lwip_timing_image(PROGRAM BOARD [SOURCES file...] [OPTIONS option...] [WRAP function...]
#                            [DEFINES definition...] [MEMORY file])
#
# OPTIONS are the compiler's, for lwIP alone; DEFINES hold for lwIP and for all who see it.
function(nd_add_lwip_timing_image program board)
    cmake_parse_arguments(image "" "MEMORY" "SOURCES;OPTIONS;WRAP;DEFINES" ${ARGN})
    if(NOT image_MEMORY)
        set(image_MEMORY memory.c)
    endif()
    set(stack ${program}-stack)
    set(rest ${program}-rest)
    set(probes ${PROJECT_SOURCE_DIR}/probes/lwip)
    set(made ${CMAKE_CURRENT_BINARY_DIR}/${program})

    nd_add_lwip(${stack} options/${board})
    target_compile_options(${stack} PRIVATE
        -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/= -include ${probes}/lwip_macros.h ${image_OPTIONS})
    target_compile_definitions(${stack} PUBLIC ${image_DEFINES})
    target_link_libraries(${stack} PUBLIC nd_include nd_kernels)
    nd_add_lwip_raw(${stack}-raw ${stack})

    # What the image has beside lwIP and the probes; their objects say where lwIP is called.
    add_library(${rest} OBJECT
        main.c netif.c platform.c stack.c bypass_path.c ping_path.c facts.c ${nd_common_agent} ${nd_common}
        ${image_SOURCES})
    target_link_libraries(${rest} PRIVATE nd_board_${board} nd_warnings ${stack}-raw)
    target_include_directories(${rest} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${nd_common_dir})
    # Probes take the room of two streams.
    target_compile_definitions(${rest} PRIVATE ND_IMAGE_TIMING=1 ND_APP_IPERF3_STREAMS=2u)

    file(MAKE_DIRECTORY ${made})
    add_custom_command(OUTPUT ${made}/lwip_coverage.h
        COMMAND /usr/bin/python3 ${PROJECT_SOURCE_DIR}/scripts/probe-coverage
            --objdump ${CMAKE_OBJDUMP} -o ${made}/lwip_coverage.h
            --stack $<TARGET_FILE:${stack}>
            --others $<TARGET_FILE:${stack}-raw> $<TARGET_OBJECTS:${rest}>
        DEPENDS ${stack} ${stack}-raw ${rest} $<TARGET_OBJECTS:${rest}>
            ${PROJECT_SOURCE_DIR}/scripts/probe-coverage
        COMMAND_EXPAND_LISTS VERBATIM)

    nd_add_image(${program} ${board})
    target_sources(${program} PRIVATE
        $<TARGET_OBJECTS:${rest}> ${made}/lwip_coverage.h image_timing.c heap_watch.c leak_check.c ${image_MEMORY}
        ${probes}/lwip_macros.c ${probes}/lwip_timing.c ${probes}/lwip_wrap.c ${probes}/lwip_try.c)
    target_include_directories(${program} PRIVATE
        ${CMAKE_CURRENT_SOURCE_DIR} ${nd_common_dir} ${probes} ${made})
    target_compile_definitions(${program} PRIVATE ND_IMAGE_TIMING=1)
    target_link_libraries(${program} PRIVATE ${stack}-raw ${stack} nd_probes nd_core)
    foreach(function IN LISTS nd_lwip_wrapped image_WRAP)
        target_link_options(${program} PRIVATE -Wl,--wrap=${function})
    endforeach()
    set_target_properties(${program} PROPERTIES
        RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/firmware)
    set_target_properties(${program} ${stack} ${stack}-raw ${rest} PROPERTIES EXCLUDE_FROM_ALL ON)
endfunction()

set(nd_no_check CHECKSUM_CHECK_IP=0 CHECKSUM_CHECK_UDP=0 CHECKSUM_CHECK_TCP=0 CHECKSUM_CHECK_ICMP=0)
set(nd_no_sum ${nd_no_check}
    CHECKSUM_GEN_IP=0 CHECKSUM_GEN_UDP=0 CHECKSUM_GEN_TCP=0 CHECKSUM_GEN_ICMP=0)

function(nd_add_lwip_timing_images board)
    nd_add_lwip_timing_image(netdyno-lwip-timing-${board} ${board})
    if(board MATCHES "^(lpc1768|fast)$")
        set_target_properties(netdyno-lwip-timing-${board} PROPERTIES EXCLUDE_FROM_ALL OFF)
        install(TARGETS netdyno-lwip-timing-${board} RUNTIME DESTINATION lib/netdyno/firmware)
    endif()
    if(NOT board STREQUAL lpc1768)
        return()
    endif()
    # The same sources again: the tools that read compile_commands.json have seen them.
    set(CMAKE_EXPORT_COMPILE_COMMANDS OFF)
    # Fat objects, so that any archiver will do.
    nd_add_lwip_timing_image(netdyno-lwip-timing-lto-${board} ${board}
        OPTIONS -flto -ffat-lto-objects)
    nd_add_lwip_timing_image(netdyno-lwip-timing-nocheck-${board} ${board} DEFINES ${nd_no_check})
    nd_add_lwip_timing_image(netdyno-lwip-timing-nosum-${board} ${board} DEFINES ${nd_no_sum})
    nd_add_lwip_timing_image(netdyno-lwip-timing-nostats-${board} ${board}
        MEMORY memory_ledger.c DEFINES LWIP_STATS=0)
    nd_add_lwip_timing_image(netdyno-lwip-timing-smallheap-${board} ${board} DEFINES MEM_SIZE=6000)
    nd_add_lwip_timing_image(netdyno-lwip-timing-plants-${board} ${board}
        SOURCES plants/plants.c DEFINES ND_IMAGE_PLANTS=1)
    nd_add_lwip_timing_image(netdyno-lwip-timing-leak-${board} ${board}
        SOURCES plants/leak.c WRAP ethernet_input)
endfunction()

# picoTCP, where the user has it: ND_PICOTCP_ROOT holds include/ and lib/libpicotcp.a, as its own make leaves them
# under PREFIX. One for this machine in the native build tree, one for the board's processor in the other.
#
#   nd_find_picotcp(RESULT)             TRUE when it is there; then the target nd_picotcp is it
#   nd_add_picotcp_port(NAME PICOTCP)   the port over it, which sees the headers of the target PICOTCP
#
# Who links nd_picotcp gives it its heap and its time: ports/picotcp/glue/picotcp_host.h.

set(ND_PICOTCP_ROOT "" CACHE PATH "picoTCP for this processor: a folder with include/ and lib/libpicotcp.a; empty: none")

function(nd_find_picotcp result)
    set(${result} FALSE PARENT_SCOPE)
    if(NOT ND_PICOTCP_ROOT)
        return()
    endif()
    get_filename_component(root "${ND_PICOTCP_ROOT}" ABSOLUTE BASE_DIR "${CMAKE_BINARY_DIR}")
    foreach(file IN ITEMS lib/libpicotcp.a include/pico_stack.h include/pico_defines.h)
        if(NOT EXISTS "${root}/${file}")
            message(FATAL_ERROR "ND_PICOTCP_ROOT: expected picoTCP's include/ and lib/libpicotcp.a, ${root}/${file} is missing")
        endif()
    endforeach()
    set(${result} TRUE PARENT_SCOPE)
    if(TARGET nd_picotcp)
        return()
    endif()
    add_library(nd_picotcp_library STATIC IMPORTED GLOBAL)
    set_target_properties(nd_picotcp_library PROPERTIES
        IMPORTED_LOCATION "${root}/lib/libpicotcp.a" INTERFACE_LINK_LIBRARIES nd_picotcp)
    set(glue "${PROJECT_SOURCE_DIR}/ports/picotcp/glue")
    nd_box(nd_picotcp SOURCES ${glue}/picotcp_host.c ${glue}/picotcp_fin.c SEES nd_probes)
    target_include_directories(nd_picotcp PUBLIC ${glue})
    target_include_directories(nd_picotcp SYSTEM PUBLIC "${root}/include")
    target_compile_definitions(nd_picotcp PUBLIC $<$<STREQUAL:${CMAKE_SYSTEM_PROCESSOR},cortex-m3>:CORTEX_M3>)
    set(wrapped malloc calloc free pico_tcp_input)
    if(NOT CMAKE_CROSSCOMPILING)
        list(APPEND wrapped gettimeofday printf puts putchar)
    endif()
    list(TRANSFORM wrapped PREPEND "-Wl,--wrap=")
    target_link_options(nd_picotcp INTERFACE ${wrapped})
    # Each asks for the other.
    target_link_libraries(nd_picotcp PUBLIC nd_picotcp_library)
endfunction()

function(nd_add_picotcp_port name picotcp)
    set(dir "${PROJECT_SOURCE_DIR}/ports/picotcp")
    add_library(${name} STATIC ${dir}/picotcp.c ${dir}/open.c ${dir}/tcp.c ${dir}/udp.c)
    target_include_directories(${name} PUBLIC "${dir}")
    target_link_libraries(${name} PUBLIC nd_include ${picotcp} PRIVATE nd_warnings)
endfunction()

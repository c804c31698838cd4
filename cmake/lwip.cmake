# lwIP as static libraries, one per configuration.
#
#   nd_add_lwip(TARGET OPTS_DIR [LWIPERF] [SOCKETS])
#
# TARGET holds core, IPv4 and Ethernet, and with LWIPERF also lwIP's own iperf application, with
# SOCKETS its threaded interfaces (sys_arch.c is then the program's), built
# with the lwipopts.h in OPTS_DIR. Whoever links TARGET sees lwIP's headers and that lwipopts.h as
# system headers. ports/lwip_raw/glue/arch/cc.h says which functions the program must supply.
#
#   nd_add_lwip_raw(TARGET LWIP_TARGET)
#
# TARGET is the port over lwIP's raw API, compiled for that configuration of lwIP.
#
#   nd_add_lwip_socket(TARGET LWIP_TARGET)
#
# The same of the port over lwIP's sockets.

# The sources: ND_LWIP_DIR, or one copy that all build trees of this source tree share.
function(nd_find_lwip result)
    if(ND_LWIP_DIR)
        get_filename_component(dir "${ND_LWIP_DIR}" ABSOLUTE BASE_DIR "${CMAKE_BINARY_DIR}")
    else()
        set(dir "${PROJECT_SOURCE_DIR}/build/lwip-src")
        if(NOT EXISTS "${dir}/src/include/lwip/init.h")
            message(STATUS "Getting lwIP by apt-get source")
            execute_process(
                COMMAND "${PROJECT_SOURCE_DIR}/scripts/fetch-lwip" "${dir}"
                RESULT_VARIABLE failed ERROR_VARIABLE why ERROR_STRIP_TRAILING_WHITESPACE)
            if(failed)
                message(FATAL_ERROR "${why}")
            endif()
        endif()
    endif()
    if(NOT EXISTS "${dir}/src/include/lwip/init.h")
        message(FATAL_ERROR "ND_LWIP_DIR: expected an lwIP source tree with src/include/lwip/init.h, got ${dir}")
    endif()
    set(${result} "${dir}" PARENT_SCOPE)
endfunction()

function(nd_add_lwip name opts_dir)
    cmake_parse_arguments(lwip "LWIPERF;SOCKETS" "" "" ${ARGN})
    nd_find_lwip(LWIP_DIR)
    get_filename_component(opts_dir "${opts_dir}" ABSOLUTE)
    set(core
        altcp altcp_alloc altcp_tcp def dns inet_chksum init ip mem memp netif pbuf raw stats sys
        tcp tcp_in tcp_out timeouts udp
        ipv4/autoip ipv4/dhcp ipv4/etharp ipv4/icmp ipv4/igmp ipv4/ip4 ipv4/ip4_addr ipv4/ip4_frag)
    list(TRANSFORM core PREPEND "${LWIP_DIR}/src/core/")
    list(TRANSFORM core APPEND ".c")
    add_library(${name} STATIC ${core} "${LWIP_DIR}/src/netif/ethernet.c")
    if(lwip_LWIPERF)
        target_sources(${name} PRIVATE "${LWIP_DIR}/src/apps/lwiperf/lwiperf.c")
    endif()
    if(lwip_SOCKETS)
        foreach(file api_lib api_msg err netbuf sockets tcpip)
            target_sources(${name} PRIVATE "${LWIP_DIR}/src/api/${file}.c")
        endforeach()
    endif()
    target_include_directories(${name} SYSTEM PUBLIC
        "${opts_dir}" "${LWIP_DIR}/src/include" "${PROJECT_SOURCE_DIR}/ports/lwip_raw/glue")
endfunction()

function(nd_add_lwip_raw name lwip)
    set(dir "${PROJECT_SOURCE_DIR}/ports/lwip_raw")
    add_library(${name} STATIC ${dir}/lwip_raw.c ${dir}/open.c ${dir}/tcp.c ${dir}/udp.c)
    target_include_directories(${name} PUBLIC "${dir}")
    target_link_libraries(${name} PUBLIC nd_include ${lwip} PRIVATE nd_warnings)
endfunction()

function(nd_add_lwip_socket name lwip)
    set(bsd "${PROJECT_SOURCE_DIR}/ports/bsd")
    set(dir "${PROJECT_SOURCE_DIR}/ports/lwip_socket")
    add_library(${name} STATIC ${dir}/lwip_socket.c
        ${bsd}/bsd.c ${bsd}/stream.c ${bsd}/datagram.c ${bsd}/socket.c ${bsd}/slot.c ${bsd}/address.c)
    target_compile_definitions(${name} PRIVATE ND_BSD_LWIP)
    target_include_directories(${name} PUBLIC "${dir}" "${bsd}")
    target_link_libraries(${name} PUBLIC nd_include ${lwip} PRIVATE nd_warnings)
endfunction()

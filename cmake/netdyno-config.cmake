# find_package(netdyno) - the agent, compiled from source with the flags of the project that asks.
#
#   netdyno::agent                    the agent; whoever links it sees netdyno.h and nd/*.h
#   netdyno_add_port(PORT [LIB...])   makes netdyno::PORT, the port of that folder of share/netdyno/ports; LIBs are the
#                                     targets whose headers it needs: those of its stack
get_filename_component(NETDYNO_PREFIX "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

if(NOT TARGET netdyno::agent)
    add_library(netdyno_agent STATIC EXCLUDE_FROM_ALL "${NETDYNO_PREFIX}/share/netdyno/netdyno.c")
    target_include_directories(netdyno_agent PUBLIC "${NETDYNO_PREFIX}/include")
    add_library(netdyno::agent ALIAS netdyno_agent)
endif()

function(netdyno_add_port port)
    set(folder "${NETDYNO_PREFIX}/share/netdyno/ports/${port}")
    file(GLOB sources "${folder}/*.c")
    if(NOT sources)
        message(FATAL_ERROR "netdyno_add_port: there is no port ${port} in ${NETDYNO_PREFIX}/share/netdyno/ports")
    endif()
    add_library(netdyno_${port} STATIC EXCLUDE_FROM_ALL ${sources})
    target_include_directories(netdyno_${port} PUBLIC "${folder}")
    if(port STREQUAL "lwip_socket") # it is that of BSD's sockets, over lwIP's
        set(bsd "${NETDYNO_PREFIX}/share/netdyno/ports/bsd")
        file(GLOB sources "${bsd}/*.c")
        list(REMOVE_ITEM sources "${bsd}/port.c")
        target_sources(netdyno_${port} PRIVATE ${sources})
        target_compile_definitions(netdyno_${port} PRIVATE ND_BSD_LWIP)
        target_include_directories(netdyno_${port} PUBLIC "${bsd}")
    endif()
    target_link_libraries(netdyno_${port} PUBLIC netdyno::agent ${ARGN})
    add_library(netdyno::${port} ALIAS netdyno_${port})
endfunction()

/* SPDX-License-Identifier: BSD-3-Clause */
#include "lwip_timing.h"
#include "lwip_coverage.h"

#include "lwip/netif.h"
#include "lwip/pbuf.h"

/* The probes may fire before they are told a clock. */
static const volatile uint32_t standing = 0;
static const struct nd_clock no_clock = {
    .counter = &standing, .name = "none", .hz = 1, .bits = 32, .kind = ND_CLOCK_TIME};

static const struct nd_timing_part checksum_parts[] = {
    {"check", ND_LWIP_SITES_CHECK},
    {"make", ND_LWIP_SITES_MAKE},
};

#define ROW(title, by, timed, caller, sites)                                                       \
    {                                                                                              \
        .name = (title), .tier = (by), .function = (timed), .probe = (caller),                     \
        .sites_seen = ND_LWIP_SEEN_##sites, .sites_missed = ND_LWIP_MISSED_##sites,                \
        .state = ND_LWIP_STATE_##sites                                                             \
    }

#define WRAP_ROW(title, timed, caller, sites) ROW(title, ND_TIMING_WRAP, timed, caller, sites)

/* Calls through a pointer are no sites that an object file tells of. */
#define POINTER_ROW(title)                                                                         \
    {                                                                                              \
        .name = (title), .tier = ND_TIMING_POINTER, .sites_seen = ND_NOT_SUPPORTED,                \
        .sites_missed = ND_NOT_SUPPORTED, .state = ND_NOT_HOOKED                                   \
    }

static struct nd_timing_row rows[ND_LWIP_ROWS] = {
    [ND_LWIP_NET_MALLOC] = WRAP_ROW("Net malloc", "mem_malloc", "__wrap_mem_malloc", MEM_MALLOC),
    [ND_LWIP_NET_FREE] = WRAP_ROW("Net free", "mem_free", "__wrap_mem_free", MEM_FREE),
    [ND_LWIP_MBUF_ALLOC] = WRAP_ROW("Mbuf alloc", "pbuf_alloc", "__wrap_pbuf_alloc", PBUF_ALLOC),
    [ND_LWIP_MBUF_FREE] = WRAP_ROW("Mbuf free", "pbuf_free", "__wrap_pbuf_free", PBUF_FREE),
    [ND_LWIP_CLUSTER_ALLOC] = WRAP_ROW("Cluster alloc", "memp_malloc", "take_cluster", MEMP_MALLOC),
    [ND_LWIP_CHECKSUM] = {.name = "Checksum",
                          .tier = ND_TIMING_MACRO,
                          .function = "lwip_standard_chksum",
                          .probe = "nd_lwip_probe_checksum",
                          .sites_seen = ND_LWIP_SEEN_CHECKSUM,
                          .sites_missed = ND_LWIP_MISSED_CHECKSUM,
                          .state = ND_LWIP_STATE_CHECKSUM,
                          .parts = checksum_parts,
                          .part_count = 2},
    [ND_LWIP_NET_MEMCPY] =
        ROW("Net memcpy", ND_TIMING_MACRO, "memcpy", "nd_lwip_probe_memcpy", MEMCPY),
    [ND_LWIP_NET_MEMSET] =
        ROW("Net memset", ND_TIMING_MACRO, "memset", "nd_lwip_probe_memset", MEMSET),
    [ND_LWIP_NET_TRIM] = WRAP_ROW("Net trim", "mem_trim", "__wrap_mem_trim", MEM_TRIM),
    [ND_LWIP_POOL_ALLOC] = WRAP_ROW("Pool alloc", "memp_malloc", "take_element", MEMP_MALLOC),
    [ND_LWIP_POOL_FREE] = WRAP_ROW("Pool free", "memp_free", "__wrap_memp_free", MEMP_FREE),
    [ND_LWIP_DRIVER_OUTPUT] = POINTER_ROW("Driver output"),
    [ND_LWIP_STACK_INPUT] = POINTER_ROW("Stack input"),
};

struct nd_timing nd_lwip_timing = {.clock = &no_clock, .rows = rows, .row_count = ND_LWIP_ROWS};

/* ---- pointers ------------------------------------------------------------------------ */

/* What the interface had before. One interface: the table is one, too. */
static netif_linkoutput_fn real_output;
static netif_input_fn real_input;

static err_t timed_output(struct netif *netif, struct pbuf *frame) {
    nd_timing_enter(&nd_lwip_timing);
    err_t result = real_output(netif, frame);
    nd_timing_leave(&nd_lwip_timing, &rows[ND_LWIP_DRIVER_OUTPUT]);
    return result;
}

static err_t timed_input(struct pbuf *frame, struct netif *netif) {
    nd_timing_enter(&nd_lwip_timing);
    err_t result = real_input(frame, netif);
    nd_timing_leave(&nd_lwip_timing, &rows[ND_LWIP_STACK_INPUT]);
    return result;
}

void nd__lwip_attach(struct netif *interface) {
    real_output = interface->linkoutput;
    real_input = interface->input;
    interface->linkoutput = timed_output;
    interface->input = timed_input;
}

/* ---- start --------------------------------------------------------------------------- */

void nd_lwip_timing_start(const struct nd_clock *clock, struct netif *interface) {
    nd_timing_calibrate(&nd_lwip_timing, clock, nd__lwip_sample);
    nd__lwip_attach(interface);
    nd__lwip_try(interface);
    nd_timing_reset(&nd_lwip_timing);
}

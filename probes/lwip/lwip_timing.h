/* SPDX-License-Identifier: BSD-3-Clause */
/* lwip_timing.h - a timing table for lwIP, whose sources are not changed.
 *
 * Three tiers: macros (lwip_macros.h), the linker's --wrap for the functions of lwip_wrap.c, and
 * the two function pointers of a network interface. cmake/lwip.cmake, nd_lwip_timing(), builds it
 * in.
 *
 * The rows are those of eCos, in lwIP's terms: "Net malloc" and "Net free" are its heap, an "Mbuf"
 * is a pbuf, a "Cluster" an element of PBUF_POOL. A pbuf's rows include what its memory takes. */
#ifndef ND_LWIP_TIMING_H
#define ND_LWIP_TIMING_H

#include <stdint.h>

#include "lwip/memp.h"

#include "nd/timing.h"

struct netif;

enum nd_lwip_row {
    ND_LWIP_NET_MALLOC,
    ND_LWIP_NET_FREE,
    ND_LWIP_MBUF_ALLOC,
    ND_LWIP_MBUF_FREE,
    ND_LWIP_CLUSTER_ALLOC,
    ND_LWIP_CHECKSUM,
    ND_LWIP_NET_MEMCPY,
    ND_LWIP_NET_MEMSET,
    ND_LWIP_NET_TRIM,      /* mem_trim: a heap piece made shorter */
    ND_LWIP_POOL_ALLOC,    /* elements of the other pools */
    ND_LWIP_POOL_FREE,     /* elements of all pools */
    ND_LWIP_DRIVER_OUTPUT, /* netif->linkoutput */
    ND_LWIP_STACK_INPUT,   /* netif->input, all that a received frame brings about */
    ND_LWIP_ROWS
};

extern struct nd_timing nd_lwip_timing;

/* Memory that is out, by what the calls returned; whatever lwIP's statistics say, or if it has
 * none. */
struct nd_lwip_ledger {
    int32_t heap_pieces;        /* mem_malloc() less mem_free() */
    int32_t heap_pieces_max;    /* the most there were */
    int32_t elements[MEMP_MAX]; /* memp_malloc() less memp_free() */
    int32_t elements_max[MEMP_MAX];
    int32_t pbufs;               /* pbuf_alloc() less what pbuf_free() says it freed */
    uint32_t heap_failures;      /* mem_malloc() that found nothing */
    uint32_t failures[MEMP_MAX]; /* memp_malloc() likewise */
    uint32_t all_failures;       /* of both kinds */
    uint32_t first_failed_bytes; /* what the first of them asked for */
};

extern struct nd_lwip_ledger nd_lwip_ledger;

/* Calibrate, exchange the pointers of this interface, and try every probe once from inside lwIP.
 * The interface must be up; one frame goes out through it. Call it between lwIP's start and the
 * first test, in the context that polls. */
void nd_lwip_timing_start(const struct nd_clock *clock, struct netif *interface);

/* A probe of lwip_wrap.c around nothing, for the calibration. */
void nd__lwip_sample(struct nd_timing *timing, struct nd_timing_row *row);

/* Exchange the pointers alone; from nd_lwip_timing_start(). */
void nd__lwip_attach(struct netif *interface);

/* Try every probe, and set the rows' states. From nd_lwip_timing_start(). */
void nd__lwip_try(struct netif *interface);

#endif

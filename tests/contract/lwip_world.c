/* SPDX-License-Identifier: BSD-3-Clause */
/* lwip_world.c - what lwIP asks of a program, and a clock that a test winds. */
#include "lwip_world.h"

#include <stdio.h>
#include <stdlib.h>

#include "lwip/netif.h"
#include "lwip/stats.h"
#include "lwip/sys.h"
#include "lwip/timeouts.h"

/* More than twice TCP_MSL of lwip/lwipopts.h, and the half second of lwIP's slow timer [ms]. */
#define SETTLE_MS 5000u

static uint32_t now_ms;

u32_t sys_now(void) {
    return now_ms;
}

unsigned nd_lwip_random(void) {
    static uint32_t state = 1;

    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

void nd_lwip_assert_failed(const char *text, const char *file, int line) {
    fprintf(stderr, "%s:%d: lwIP: %s\n", file, line, text);
    abort();
}

void world_deliver(void) {
    netif_poll_all();
}

void world_turn(void) {
    world_deliver();
    now_ms++;
    sys_check_timeouts();
}

void world_settle(void) {
    for (unsigned i = 0; i < SETTLE_MS; i++) {
        world_turn();
    }
}

long world_held(void) {
    return (long)lwip_stats.mem.used + lwip_stats.memp[MEMP_PBUF_POOL]->used +
           lwip_stats.memp[MEMP_PBUF]->used + lwip_stats.memp[MEMP_TCP_PCB]->used +
           lwip_stats.memp[MEMP_TCP_SEG]->used + lwip_stats.memp[MEMP_UDP_PCB]->used;
}

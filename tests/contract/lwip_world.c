/* SPDX-License-Identifier: BSD-3-Clause */
/* lwip_world.c - lwIP without threads, and a clock that a test winds. */
#include "lwip_world.h"

#include "lwip/init.h"
#include "lwip/sys.h"
#include "lwip/timeouts.h"

#include "lwip_wire.h"

/* More than twice TCP_MSL of lwip/lwipopts.h, and the half second of lwIP's slow timer [ms]. */
#define SETTLE_MS 5000u

static uint32_t now_ms;

u32_t sys_now(void) {
    return now_ms;
}

void world_start(void) {
    lwip_init();
    wire_open();
}

void world_deliver(void) {
    wire_deliver();
}

void world_turn(void) {
    wire_deliver();
    now_ms++;
    sys_check_timeouts();
}

void world_settle(void) {
    for (unsigned i = 0; i < SETTLE_MS; i++) {
        world_turn();
    }
}

long world_held(void) {
    return wire_held();
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* rig_lwip_raw.c - the contract over lwIP's raw API: one lwIP on its loopback interface, in a time
 * that only pump() moves. */
#include <stdio.h>
#include <stdlib.h>

#include "lwip_raw.h"

#include "lwip/init.h"
#include "lwip/netif.h"
#include "lwip/stats.h"
#include "lwip/sys.h"
#include "lwip/timeouts.h"

#include "suite.h"

#define SLOTS 9u

static struct nd_lwip_raw lwip_raw;
static struct nd_lwip_raw_conn conns[SLOTS];
static uint32_t now_ms;

/* What lwIP asks of the program. */

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

/* The rig. */

static void pump(struct rig *rig) {
    (void)rig;
    netif_poll_all();
    now_ms++;
    sys_check_timeouts();
}

static int setup(struct rig *rig) {
    rig->ctx = &lwip_raw;
    nd_lwip_raw_init(&lwip_raw, conns, SLOTS);
    return 0;
}

static long held(struct rig *rig) {
    (void)rig;
    return (long)lwip_stats.mem.used + lwip_stats.memp[MEMP_PBUF_POOL]->used +
           lwip_stats.memp[MEMP_TCP_PCB]->used + lwip_stats.memp[MEMP_TCP_SEG]->used;
}

/* A case that failed leaves connections behind; every case leaves some to TIME_WAIT. */
static void teardown(struct rig *rig) {
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (conns[i].kind != 0) {
            rig->port->close((struct nd_conn *)&conns[i]);
        }
    }
    for (unsigned i = 0; i < 5000; i++) {
        pump(rig);
    }
}

int main(void) {
    struct rig rig = {.name = "lwip_raw",
                      .port = &nd_port_lwip_raw,
                      .at = {.ip = {127, 0, 0, 1}, .family = 4},
                      .pool_size = SLOTS,
                      .setup = setup,
                      .teardown = teardown,
                      .pump = pump,
                      .held = held};

    lwip_init();
    return suite_run(&rig);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* rig_lwip_raw.c - the contract over lwIP's raw API, both ends in one lwIP. */
#include "lwip_raw.h"

#include "lwip/init.h"

#include "lwip_world.h"
#include "suite.h"

#define SLOTS 9u

static struct nd_lwip_raw lwip_raw;
static struct nd_lwip_raw_conn conns[SLOTS];

static void pump(struct rig *rig) {
    (void)rig;
    world_turn();
}

static int setup(struct rig *rig) {
    rig->ctx = &lwip_raw;
    nd_lwip_raw_init(&lwip_raw, conns, SLOTS);
    return 0;
}

static long held(struct rig *rig) {
    (void)rig;
    return world_held();
}

/* lwIP cannot be started twice: a case that failed must not leave its connections to the next. */
static void teardown(struct rig *rig) {
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (conns[i].kind != 0) {
            rig->port->close((struct nd_conn *)&conns[i]);
        }
    }
    world_settle();
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

    world_start();
    return suite_run(&rig);
}

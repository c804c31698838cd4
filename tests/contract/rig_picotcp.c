/* SPDX-License-Identifier: BSD-3-Clause */
/* rig_picotcp.c - the contract over picoTCP's sockets, both ends in one picoTCP. */
#include "picotcp.h"

#include "picotcp_world.h"
#include "suite.h"

#define SLOTS       9u
#define STAGE_BYTES 1464u

static struct nd_picotcp picotcp;
static struct nd_picotcp_conn conns[SLOTS];
static _Alignas(8) uint8_t stages[SLOTS * STAGE_BYTES];

static void pump(struct rig *rig) {
    (void)rig;
    world_turn();
}

static int setup(struct rig *rig) {
    const struct nd_picotcp_cfg cfg = {.conns = conns,
                                       .conn_count = SLOTS,
                                       .stages = stages,
                                       .stage_count = SLOTS,
                                       .stage_bytes = STAGE_BYTES};

    rig->ctx = &picotcp;
    return nd_picotcp_init(&picotcp, &cfg);
}

static long held(struct rig *rig) {
    (void)rig;
    return world_held();
}

/* picoTCP cannot be started twice: a case that failed must not leave its connections to the next.
 */
static void teardown(struct rig *rig) {
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (conns[i].kind != 0) {
            rig->port->close((struct nd_conn *)&conns[i]);
        }
    }
    world_settle();
}

int main(void) {
    struct rig rig = {.name = "picotcp",
                      .port = &nd_port_picotcp,
                      .at = {.ip = {10, 0, 0, 2}, .family = 4},
                      .pool_size = SLOTS,
                      .setup = setup,
                      .teardown = teardown,
                      .pump = pump,
                      .held = held};

    world_start();
    return suite_run(&rig);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* rig_w5500.c - the contract over a W5500, both ends in one chip. All its eight sockets are the
 * pool: those that finish after close() are cut off when their socket is needed. */
#include "suite.h"
#include "w5500_world.h"

#include <stdio.h>
#include <string.h>

#define SLOTS       ND_W5500_SOCKETS
#define STAGE_BYTES 2048u

static struct nd_w5500 w5500;
static struct nd_w5500_slot slots[SLOTS];
static uint8_t stage[SLOTS * STAGE_BYTES];

static void pump(struct rig *rig) {
    (void)rig;
    world_turn();
}

static int setup(struct rig *rig) {
    const struct nd_w5500_cfg cfg = world_cfg();

    rig->ctx = &w5500;
    world_start();
    return nd_w5500_init(&w5500, &cfg, slots, SLOTS, stage, STAGE_BYTES);
}

/* Cases after which the chip had been misused, whatever came of it. */
static unsigned misused;

static void teardown(struct rig *rig) {
    static const struct nd_chip_faults none;

    (void)rig;
    misused += memcmp(nd_chip_faults(), &none, sizeof none) != 0;
}

static long held(struct rig *rig) {
    long count = 0;

    (void)rig;
    for (unsigned i = 0; i < ND_W5500_SOCKETS; i++) {
        count += w5500.sockets[i].use != 0;
    }
    return count;
}

int main(void) {
    struct rig rig = {.name = "w5500",
                      .port = &nd_port_w5500,
                      .at = {.ip = {10, 0, 0, 2}, .family = 4},
                      .pool_size = SLOTS,
                      .setup = setup,
                      .teardown = teardown,
                      .pump = pump,
                      .held = held};

    const int failed = suite_run(&rig);

    printf("%u cases in which the chip was misused\n", misused);
    return failed + (int)misused;
}

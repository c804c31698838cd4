/* SPDX-License-Identifier: BSD-3-Clause */
/* rig_loop.c - the contract over the port without a network. */
#include "loop.h"
#include "suite.h"

#define SLOTS      9u
#define RING_BYTES 4096u

static struct nd_loop loop;
static struct nd_loop_slot slots[SLOTS];
static uint8_t storage[SLOTS * RING_BYTES];

static int setup(struct rig *rig) {
    rig->ctx = &loop;
    return nd_loop_init(&loop, slots, SLOTS, storage, RING_BYTES);
}

static void teardown(struct rig *rig) {
    (void)rig;
}

static long held(struct rig *rig) {
    (void)rig;
    return (long)nd_loop_used(&loop);
}

int main(void) {
    struct rig rig = {.name = "loop",
                      .port = &nd_port_loop,
                      .at = {.ip = {127, 0, 0, 1}, .family = 4},
                      .pool_size = SLOTS,
                      .setup = setup,
                      .teardown = teardown,
                      .held = held};
    return suite_run(&rig);
}

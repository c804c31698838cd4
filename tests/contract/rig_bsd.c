/* SPDX-License-Identifier: BSD-3-Clause */
/* rig_bsd.c - the contract over the sockets that every system has, on the loopback interface. */
#include <stddef.h>

#include "bsd.h"
#include "kernel.h"
#include "suite.h"

#define SLOTS    12u
#define RX_BYTES 20000u

/* One turn sleeps so long at most [ms]. */
#define TURN_MS 1u

static struct nd_bsd bsd;
static struct nd_bsd_slot slots[SLOTS];
static uint8_t buffers[SLOTS * RX_BYTES];

static int setup(struct rig *rig) {
    struct nd_bsd_cfg cfg = {
        .slots = slots, .slot_count = SLOTS, .buffers = buffers, .rx_bytes = RX_BYTES};
    rig->ctx = &bsd;
    return nd_bsd_init(&bsd, &cfg) == ND_OK ? 0 : -1;
}

static void teardown(struct rig *rig) {
    (void)rig;
    nd_bsd_finish(&bsd);
}

static void pump(struct rig *rig) {
    (void)rig;
    nd_bsd_wait(&bsd, TURN_MS);
}

int main(void) {
    struct rig rig = {.name = "bsd",
                      .port = &nd_port_bsd,
                      .pool_size = SLOTS,
                      .setup = setup,
                      .teardown = teardown,
                      .pump = pump,
                      .held = kernel_held};
    return kernel_run(&rig);
}

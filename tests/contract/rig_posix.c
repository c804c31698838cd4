/* SPDX-License-Identifier: BSD-3-Clause */
/* rig_posix.c - the contract over this machine's kernel, on its loopback interface. */
#include <stddef.h>

#include "kernel.h"
#include "posix.h"
#include "suite.h"

#define SLOTS 12u

/* One turn sleeps so long at most [ns]. */
#define TURN_NS 1000000u

static int setup(struct rig *rig) {
    struct nd_posix_cfg cfg = {.slot_count = SLOTS, .rx_bytes = 20000};
    rig->ctx = nd_posix_create(&cfg);
    return rig->ctx == NULL ? -1 : 0;
}

static void teardown(struct rig *rig) {
    nd_posix_destroy(rig->ctx);
}

static void pump(struct rig *rig) {
    nd_posix_wait(rig->ctx, TURN_NS);
}

int main(void) {
    struct rig rig = {.name = "posix",
                      .port = &nd_port_posix,
                      .pool_size = SLOTS,
                      .setup = setup,
                      .teardown = teardown,
                      .pump = pump,
                      .held = kernel_held};
    return kernel_run(&rig);
}

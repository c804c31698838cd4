/* SPDX-License-Identifier: BSD-3-Clause */
/* rig_bsd.c - the contract over the sockets that every system has, on the loopback interface. */
#include <stddef.h>

#include "bsd_pool.h"
#include "kernel.h"
#include "suite.h"

static int setup(struct rig *rig) {
    return bsd_pool_make(rig, nd_bsd_init);
}

static void pump(struct rig *rig) {
    (void)rig;
    bsd_pool_rest();
}

int main(void) {
    struct rig rig = {.name = "bsd",
                      .port = &nd_port_bsd,
                      .pool_size = BSD_POOL_SLOTS,
                      .setup = setup,
                      .teardown = bsd_pool_finish,
                      .pump = pump,
                      .held = kernel_held};
    return kernel_run(&rig);
}

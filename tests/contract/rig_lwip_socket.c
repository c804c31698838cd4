/* SPDX-License-Identifier: BSD-3-Clause */
/* rig_lwip_socket.c - the contract over lwIP's sockets, both ends in one lwIP with its own thread.
 */
#include "lwip_socket.h"

#include "lwip/tcpip.h"

#include "bsd_pool.h"
#include "lwip_wire.h"
#include "suite.h"

static int setup(struct rig *rig) {
    return bsd_pool_make(rig, nd_lwip_socket_init);
}

/* lwIP's thread runs its timers; packets move here, under its lock. */
static void pump(struct rig *rig) {
    (void)rig;
    LOCK_TCPIP_CORE();
    wire_deliver();
    UNLOCK_TCPIP_CORE();
    bsd_pool_rest();
}

static long held(struct rig *rig) {
    (void)rig;
    LOCK_TCPIP_CORE();
    long count = wire_held();
    UNLOCK_TCPIP_CORE();
    return count;
}

static void started(void *ctx) {
    wire_open();
    sys_sem_signal(ctx);
}

int main(void) {
    struct rig rig = {.name = "lwip_socket",
                      .port = &nd_port_lwip_socket,
                      .at = {.ip = {127, 0, 0, 1}, .family = 4},
                      .pool_size = BSD_POOL_SLOTS,
                      .setup = setup,
                      .teardown = bsd_pool_finish,
                      .pump = pump,
                      .held = held};
    sys_sem_t ready;

    sys_init();
    sys_sem_new(&ready, 0);
    tcpip_init(started, &ready);
    sys_sem_wait(&ready);
    sys_sem_free(&ready);
    return suite_run(&rig);
}

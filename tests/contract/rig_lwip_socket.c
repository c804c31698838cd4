/* SPDX-License-Identifier: BSD-3-Clause */
/* rig_lwip_socket.c - the contract over lwIP's sockets, both ends in one lwIP with its own thread.
 */
#include "lwip_socket.h"

#include "lwip/tcpip.h"

#include "lwip_wire.h"
#include "suite.h"

#define SLOTS    9u
#define RX_BYTES 4000u

/* One turn sleeps so long at most [ms]. */
#define TURN_MS 1u

static struct nd_bsd bsd;
static struct nd_bsd_slot slots[SLOTS];
static uint8_t buffers[SLOTS * RX_BYTES];

static int setup(struct rig *rig) {
    struct nd_bsd_cfg cfg = {
        .slots = slots, .slot_count = SLOTS, .buffers = buffers, .rx_bytes = RX_BYTES};
    rig->ctx = &bsd;
    return nd_lwip_socket_init(&bsd, &cfg) == ND_OK ? 0 : -1;
}

static void teardown(struct rig *rig) {
    (void)rig;
    nd_bsd_finish(&bsd);
}

/* lwIP's thread runs its timers; packets move here, under its lock. */
static void pump(struct rig *rig) {
    (void)rig;
    LOCK_TCPIP_CORE();
    wire_deliver();
    UNLOCK_TCPIP_CORE();
    nd_bsd_wait(&bsd, TURN_MS);
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
                      .pool_size = SLOTS,
                      .setup = setup,
                      .teardown = teardown,
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

/* SPDX-License-Identifier: BSD-3-Clause */
#include "picotcp_world.h"

#include <stdlib.h>

#include "pico_device.h"
#include "pico_ipv4.h"
#include "pico_stack.h"

#include "picotcp_host.h"

#define HEAP_BYTES (4u * 1024u * 1024u)

/* Longer than the port lets picoTCP linger [ms]. */
#define SETTLE_MS 31000u

/* picoTCP's table of timers grows to the most it ever held: more than any case needs. */
#define TIMERS 1000u

static uint8_t memory[HEAP_BYTES];
static uint32_t now_ms = 1000;
static struct pico_device device;

/* Nobody else is on this network. */
static int send_nowhere(struct pico_device *self, void *frame, int bytes) {
    (void)self;
    (void)frame;
    return bytes;
}

static void do_nothing(pico_time now, void *arg) {
    (void)now;
    (void)arg;
}

void world_start(void) {
    static const uint8_t mac[6] = {0x02, 0x6E, 0x64, 0, 0, 1};
    const struct pico_ip4 address = {long_be(0x0A000002)};
    const struct pico_ip4 mask = {long_be(0xFFFFFF00)};

    nd_heap_start(&nd_picotcp_heap, memory, sizeof memory);
    nd_picotcp_set_ms(now_ms);
    device.send = send_nowhere;
    if (pico_stack_init() != 0 || pico_device_init(&device, "world", mac) != 0 ||
        pico_ipv4_link_add(&device, address, mask) != 0) {
        abort();
    }
    for (unsigned i = 0; i < TIMERS; i++) {
        pico_timer_add(0, do_nothing, NULL);
    }
}

void world_turn(void) {
    now_ms++;
    nd_picotcp_set_ms(now_ms);
    pico_stack_tick();
}

void world_settle(void) {
    for (unsigned i = 0; i < SETTLE_MS; i++) {
        world_turn();
    }
}

long world_held(void) {
    return nd_picotcp_heap.pieces;
}

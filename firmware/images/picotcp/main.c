/* SPDX-License-Identifier: BSD-3-Clause */
/* The image: picoTCP on the simulated Ethernet controller, and the agent, in one loop, which gives
 * picoTCP its ticks: pico_stack_loop() would wait for a millisecond after each. */
#include "app.h"
#include "hello.h"
#include "machine.h"
#include "milliseconds.h"
#include "netif.h"
#include "options.h"
#include "picotcp_host.h"
#include "station.h"
#include "ticking.h"

#include "pico_stack.h"

/* picoTCP does not tell when its next timer is due. The shortest that matter count in tens of
 * milliseconds. */
#define TICK_MS 5u

/* Locally administered: no vendor's. */
static const uint8_t mac[6] = {0x02, 0x6E, 0x64, 0x00, 0x00, 0x01};

static _Alignas(16) uint8_t heap[ND_PICOTCP_HEAP_BYTES];

static void start_stack(void) {
    nd_heap_start(&nd_picotcp_heap, heap, sizeof(heap));
    pico_rand_feed(nd_station_welcome()->seed);
    if (pico_stack_init() != 0) {
        nd_machine_abandon("picoTCP does not start");
    }
    nd_netif_start(mac);
}

static void tick(void) {
    nd_picotcp_set_ms(nd_milliseconds());
    pico_stack_tick();
}

/* Ticks of the clock until a timer of the stack or of the application may be due. */
static uint32_t idle_limit(void) {
    uint64_t app = nd_app_sleep();

    return app < TICK_MS * ND_MS_TICKS ? (uint32_t)app : TICK_MS * ND_MS_TICKS;
}

int main(int argc, char **argv) {
    uint32_t wait = 0;

    nd_station_start(argc, argv, "picotcp", mac);
    nd_hello(nd_app_name, "picotcp");
    start_stack();
    nd_app_start();
    for (;;) {
        bool again;

        nd_netif_poll(wait);
        tick();
        again = nd_app_work();
        again = nd_picotcp_wants_tick(&nd_image_port) || again;
        wait = again || nd_netif_pending() ? 0 : idle_limit();
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The image: a W5500 on the simulated wire, and the agent behind its bus, in one loop. */
#include "app.h"
#include "board.h"
#include "hello.h"
#include "station.h"
#include "wired.h"

/* Locally administered: no vendor's. */
static const uint8_t mac[6] = {0x02, 0x6E, 0x64, 0x00, 0x00, 0x02};

int main(int argc, char **argv) {
    struct nd_options options;

    nd_options_read(&options, argc, argv);
    nd_station_start(argc, argv, "w5500", mac);
    nd_hello("agent", "w5500");
    nd_wired_start(&options);
    nd_app_start(&options, mac);
    for (;;) {
        uint64_t wait = nd_app_work() ? 0 : nd_app_sleep();

        nd_wired_poll(wait < ND_BOARD_HZ ? (uint32_t)wait : ND_BOARD_HZ);
    }
}

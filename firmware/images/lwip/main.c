/* SPDX-License-Identifier: BSD-3-Clause */
/* The image: lwIP on the simulated Ethernet controller, and one application, in one loop. */
#include "app.h"
#include "hello.h"
#include "netif.h"
#include "platform.h"
#include "station.h"

#include "lwip/init.h"
#include "lwip/timeouts.h"

/* Locally administered: no vendor's. */
static const uint8_t mac[6] = {0x02, 0x6E, 0x64, 0x00, 0x00, 0x01};

/* Ticks until a timer of the stack or of the application is due. */
static uint32_t idle_limit(void) {
    uint32_t stack = nd_platform_wait();
    uint64_t app = nd_app_sleep();

    return app < stack ? (uint32_t)app : stack;
}

int main(int argc, char **argv) {
    uint32_t wait = 0;

    nd_station_start(argc, argv, "lwip", mac);
    nd_hello(nd_app_name, "lwip");
    lwip_init();
    nd_netif_start(mac);
    nd_app_start();
    for (;;) {
        nd_netif_poll(wait);
        sys_check_timeouts();
        wait = nd_app_work() ? 0 : idle_limit();
    }
}

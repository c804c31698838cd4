/* SPDX-License-Identifier: BSD-3-Clause */
/* The image: lwIP on the simulated Ethernet controller, and one application, in one loop. */
#include "app.h"
#include "build.h"
#include "netif.h"
#include "platform.h"
#include "station.h"

#include <string.h>

#include "lwip/init.h"
#include "lwip/timeouts.h"

/* Locally administered: no vendor's. */
static const uint8_t mac[6] = {0x02, 0x6E, 0x64, 0x00, 0x00, 0x01};

static void say(const char *text) {
    nd_station_console_write(text, strlen(text));
}

int main(int argc, char **argv) {
    uint32_t wait = 0;

    nd_station_start(argc, argv, "lwip", mac);
    say("netdyno ");
    say(nd_app_name);
    say(" " ND_BUILD_VERSION ", lwip on " ND_BOARD_NAME "\n");
    lwip_init();
    nd_netif_start(mac);
    nd_app_start();
    for (;;) {
        nd_netif_poll(wait);
        sys_check_timeouts();
        wait = nd_app_work() ? 0 : nd_platform_wait();
    }
}

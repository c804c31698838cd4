/* SPDX-License-Identifier: BSD-3-Clause */
/* The image: lwIP on the simulated Ethernet controller, and one application, in one loop. */
#include "app.h"
#include "build.h"
#include "netif.h"
#include "platform.h"
#include "station.h"

#include "nd/fmt.h"

#include "lwip/init.h"
#include "lwip/timeouts.h"

/* Locally administered: no vendor's. */
static const uint8_t mac[6] = {0x02, 0x6E, 0x64, 0x00, 0x00, 0x01};

static void say_hello(void) {
    char line[128];
    struct nd_fmt out;

    nd_fmt_init(&out, line, sizeof(line));
    nd_fmt_text(&out, "netdyno ");
    nd_fmt_text(&out, nd_app_name);
    nd_fmt_text(&out, " " ND_BUILD_VERSION ", lwip on " ND_BOARD_NAME "\n");
    nd_station_console_write(line, nd_fmt_length(&out));
}

/* Ticks until a timer of the stack or of the application is due. */
static uint32_t idle_limit(void) {
    uint32_t stack = nd_platform_wait();
    uint64_t app = nd_app_sleep();

    return app < stack ? (uint32_t)app : stack;
}

int main(int argc, char **argv) {
    uint32_t wait = 0;

    nd_station_start(argc, argv, "lwip", mac);
    say_hello();
    lwip_init();
    nd_netif_start(mac);
    nd_app_start();
    for (;;) {
        nd_netif_poll(wait);
        sys_check_timeouts();
        wait = nd_app_work() ? 0 : idle_limit();
    }
}

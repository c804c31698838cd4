/* SPDX-License-Identifier: BSD-3-Clause */
/* lwIP's own iperf in the agent's place: a server on port 5001 or, in the transmitting build, a
 * client of the gateway's port 5001 that starts at once and sends for 10 s. */
#include "app.h"
#include "netif.h"
#include "station.h"

#include "nd/fmt.h"

#include "lwip/apps/lwiperf.h"

const char *const nd_app_name = "lwiperf";

static void report(void *arg, enum lwiperf_report_type type, const ip_addr_t *local_addr,
                   u16_t local_port, const ip_addr_t *remote_addr, u16_t remote_port, u32_t bytes,
                   u32_t ms, u32_t kbit_s) {
    char line[96];
    struct nd_fmt out;

    (void)arg, (void)local_addr, (void)local_port, (void)remote_addr, (void)remote_port;
    (void)kbit_s;
    nd_fmt_init(&out, line, sizeof(line));
    nd_fmt_text(&out, "lwiperf report ");
    nd_fmt_u64(&out, (uint64_t)type);
    nd_fmt_text(&out, ": ");
    nd_fmt_u64(&out, bytes);
    nd_fmt_text(&out, " bytes in ");
    nd_fmt_u64(&out, ms);
    nd_fmt_text(&out, " ms\n");
    nd_station_console_write(line, nd_fmt_length(&out));
}

void nd_app_start(void) {
#if ND_LWIPERF_TRANSMITS
    lwiperf_start_tcp_client_default(nd_netif_gateway(), report, NULL);
#else
    lwiperf_start_tcp_server_default(report, NULL);
#endif
}

/* It lives in lwIP's callbacks and timers. */
bool nd_app_work(void) {
    return false;
}

uint64_t nd_app_sleep(void) {
    return UINT64_MAX;
}

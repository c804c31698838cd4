/* SPDX-License-Identifier: BSD-3-Clause */
/* The agent beside lwIP's raw API, in the bare loop that such firmware has: frames in, timers, and
 * one more call. The memory test, ttcp and iperf 2; the console is at the UART.
 *
 * What is the board's own is declared in board.h: vendors' examples have each of these. */
#include "board.h"

#include "lwip/init.h"
#include "lwip/netif.h"
#include "lwip/timeouts.h"

#include "lwip_raw.h"
#include "nd/agent.h"
#include "nd/console.h"
#include "nd/iperf.h"
#include "nd/memtest.h"
#include "nd/ttcp.h"
#include "netif/ethernet.h"

#define SLOTS          8u
#define IPERF_TESTS    2u
#define DATAGRAM_BYTES 1472u

static struct netif netif;
static struct nd_lwip_raw port;
static struct nd_lwip_raw_conn conns[SLOTS];
static struct nd_agent agent;
static struct nd_console console;
static struct nd_memtest_server memtest;
static struct nd_ttcp ttcp;
static struct nd_iperf iperf;
static struct nd_iperf_test iperf_tests[IPERF_TESTS];
static uint8_t datagram[DATAGRAM_BYTES];
static struct nd_command ttcp_command;
static struct nd_command iperf_command;

/* The processor's cycle counter (ARMv7-M: DWT), which board_start() switched on. */
static struct nd_clock cycles = {.name = "dwt.cyccnt", .bits = 32, .kind = ND_CLOCK_CYCLES};

static void start_lwip(void) {
    ip4_addr_t address;
    ip4_addr_t mask;
    ip4_addr_t gateway;

    IP4_ADDR(&address, 192, 168, 1, 20);
    IP4_ADDR(&mask, 255, 255, 255, 0);
    IP4_ADDR(&gateway, 192, 168, 1, 1);
    lwip_init();
    netif_add(&netif, &address, &mask, &gateway, NULL, board_ethernet_init, ethernet_input);
    netif_set_default(&netif);
    netif_set_up(&netif);
}

static void start_agent(void) {
    static struct nd_agent_cfg cfg = {
        .port = &nd_port_lwip_raw, .port_ctx = &port, .clock = &cycles};
    const struct nd_addr at_memtest = {.port = ND_MEMTEST_PORT};

    cycles.counter = board_cycle_counter;
    cycles.hz = board_core_hz();
    nd_lwip_raw_init(&port, conns, SLOTS);
    nd_agent_init(&agent, &cfg);
    nd_console_init(&console, &agent);
    nd_ttcp_command(&ttcp_command, &ttcp);
    nd_console_add(&console, &ttcp_command);
    nd_iperf_init(&iperf, &agent, iperf_tests, IPERF_TESTS, datagram, sizeof datagram);
    nd_iperf_command(&iperf_command, &iperf);
    nd_console_add(&console, &iperf_command);
    nd_memtest_serve(&memtest, &agent, &at_memtest, 0);
}

/* Move what the UART takes and has. Neither call waits. */
static void work_console(void) {
    const char *out;
    char byte;

    while (board_uart_read(&byte)) {
        nd_console_input(&console, &byte, 1);
    }
    nd_console_poll(&console);
    size_t len = nd_console_output(&console, &out);
    nd_console_output_done(&console, board_uart_write(out, len));
}

int main(void) {
    board_start();
    start_lwip();
    start_agent();
    for (;;) {
        board_ethernet_poll(&netif);
        sys_check_timeouts();
        nd_agent_poll(&agent);
        work_console();
    }
}

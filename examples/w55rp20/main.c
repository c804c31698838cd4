/* SPDX-License-Identifier: BSD-3-Clause */
/* The agent on WIZnet's W55RP20, or an RP2040 beside a W5500, with the Pico SDK: UDP echo, the
 * iperf 2 server that answers `iperf -u -c`, and the console at USB or UART (stdio). */
#include <stdio.h>

#include "bus.h"
#include "nd/agent.h"
#include "nd/console.h"
#include "nd/datagram.h"
#include "nd/echo.h"
#include "nd/iperf.h"
#include "nd_w5500.h"
#include "pico/stdlib.h"

#define SLOTS          8u
#define STAGE_BYTES    2048u
#define IPERF_TESTS    2u
#define DATAGRAM_BYTES 1472u

static uint32_t read_us(void *ctx) {
    (void)ctx;
    return time_us_32();
}

static const struct nd_clock clock_us = {
    .read = read_us, .name = "rp2040.timer", .hz = 1000000, .bits = 32, .kind = ND_CLOCK_TIME};

static struct nd_w5500 chip;
static struct nd_w5500_slot slots[SLOTS];
static uint8_t stage[SLOTS * STAGE_BYTES];
static struct nd_agent agent;
static struct nd_console console;
static struct nd_datagram_server echo;
static struct nd_iperf iperf;
static struct nd_iperf_test iperf_tests[IPERF_TESTS];
static uint8_t datagram[DATAGRAM_BYTES];
static struct nd_command iperf_command;

static int start_chip(void) {
    static const struct nd_w5500_cfg cfg = {.bus = {bus_select, bus_deselect, bus_read, bus_write},
                                            .mac = {0x02, 0x08, 0xDC, 0x00, 0x00, 0x01},
                                            .ip = {192, 168, 11, 2},
                                            .mask = {255, 255, 255, 0},
                                            .gateway = {192, 168, 11, 1}};

    bus_start();
    return nd_w5500_init(&chip, &cfg, slots, SLOTS, stage, STAGE_BYTES);
}

static int start_agent(void) {
    static const struct nd_agent_cfg cfg = {
        .port = &nd_port_w5500, .port_ctx = &chip, .clock = &clock_us};
    static const struct nd_addr at_echo = {.port = ND_ECHO_PORT};
    static const struct nd_iperf_server_cfg server = {
        .at = {.port = ND_IPERF_PORT}, .tcp = true, .udp = true};
    int result = nd_agent_init(&agent, &cfg);

    nd_console_init(&console, &agent);
    nd_iperf_init(&iperf, &agent, iperf_tests, IPERF_TESTS, datagram, sizeof datagram);
    nd_iperf_command(&iperf_command, &iperf);
    nd_console_add(&console, &iperf_command);
    if (result == ND_OK) {
        result = nd_datagram_serve(&echo, &agent, ND_DATAGRAM_ECHO, &at_echo);
    }
    return result == ND_OK ? nd_iperf_serve(&iperf, &server) : result;
}

static void work_console(void) {
    const char *out;
    int typed = getchar_timeout_us(0);

    if (typed >= 0) {
        char byte = (char)typed;
        nd_console_input(&console, &byte, 1);
    }
    nd_console_poll(&console);
    size_t len = nd_console_output(&console, &out);
    fwrite(out, 1, len, stdout);
    nd_console_output_done(&console, len);
}

int main(void) {
    stdio_init_all();
    int result = start_chip();
    if (result == ND_OK) {
        result = start_agent();
    }
    while (result != ND_OK) { /* say it for as long as nobody looks */
        printf("no network: %s\n", nd_error_name(result));
        sleep_ms(1000);
    }
    for (;;) {
        nd_agent_poll(&agent);
        work_console();
    }
}

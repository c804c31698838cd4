/* SPDX-License-Identifier: BSD-3-Clause */
/* The agent beside BSD sockets: echo, discard and iperf 2 serve the network, and the console is at
 * TCP port 5055 for `netdyno run tcp://HOST`. One task of an RTOS, or a process.
 *
 *   agent [HOST:PORT [TOKEN]]     where the console listens; 127.0.0.1:5055 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bsd.h"
#include "nd/agent.h"
#include "nd/console.h"
#include "nd/discard.h"
#include "nd/echo.h"
#include "nd/iperf.h"
#include "nd/remote.h"
#include "nd/ttcp.h"

#define SLOTS          16u
#define RX_BYTES       2048u
#define CALLERS        2u
#define IPERF_TESTS    2u
#define DATAGRAM_BYTES 1472u
#define SLEEP_MS       1000u /* looks for callers that went silent, at least so often */

static uint32_t read_us(void *ctx) {
    struct timespec now;

    (void)ctx;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint32_t)((uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u);
}

static const struct nd_clock clock_us = {
    .read = read_us, .name = "clock_monotonic", .hz = 1000000, .bits = 32, .kind = ND_CLOCK_TIME};

static struct nd_bsd bsd;
static struct nd_bsd_slot slots[SLOTS];
static uint8_t buffers[SLOTS * RX_BYTES];
static struct nd_agent agent;
static struct nd_console console;
static struct nd_remote remote;
static struct nd_stream_server echo;
static struct nd_stream_server discard;
static struct nd_stream_conn echo_callers[CALLERS];
static struct nd_stream_conn discard_callers[CALLERS];
static struct nd_iperf iperf;
static struct nd_iperf_test iperf_tests[IPERF_TESTS];
static uint8_t datagram[DATAGRAM_BYTES];
static struct nd_ttcp ttcp;
static struct nd_command iperf_command;
static struct nd_command ttcp_command;

static int make_agent(void) {
    static const struct nd_bsd_cfg bsd_cfg = {
        .slots = slots, .slot_count = SLOTS, .buffers = buffers, .rx_bytes = RX_BYTES};
    static const struct nd_agent_cfg cfg = {
        .port = &nd_port_bsd, .port_ctx = &bsd, .clock = &clock_us};
    int result = nd_bsd_init(&bsd, &bsd_cfg);

    return result == ND_OK ? nd_agent_init(&agent, &cfg) : result;
}

/* On a system that reserves the small port numbers they are 1000 higher, as a second choice. */
static void serve(void) {
    struct nd_addr at = {.port = ND_ECHO_PORT};

    if (nd_echo_serve(&echo, &agent, &at, echo_callers, CALLERS) != ND_OK) {
        at.port = 1000 + ND_ECHO_PORT;
        nd_echo_serve(&echo, &agent, &at, echo_callers, CALLERS);
    }
    at.port = ND_DISCARD_PORT;
    if (nd_discard_serve(&discard, &agent, &at, discard_callers, CALLERS) != ND_OK) {
        at.port = 1000 + ND_DISCARD_PORT;
        nd_discard_serve(&discard, &agent, &at, discard_callers, CALLERS);
    }
}

static void add_commands(void) {
    nd_console_init(&console, &agent);
    nd_iperf_init(&iperf, &agent, iperf_tests, IPERF_TESTS, datagram, sizeof datagram);
    nd_iperf_command(&iperf_command, &iperf);
    nd_console_add(&console, &iperf_command);
    nd_ttcp_command(&ttcp_command, &ttcp);
    nd_console_add(&console, &ttcp_command);
}

/* Sleep until the network or the agent has something to do. */
static void sleep_a_while(void) {
    uint64_t us = nd_agent_sleep(&agent);

    nd_bsd_wait(&bsd, us < SLEEP_MS * 1000u ? (uint32_t)(us / 1000u) : SLEEP_MS);
}

int main(int argc, char **argv) {
    struct nd_addr at = {.ip = {127, 0, 0, 1}, .family = 4, .port = ND_REMOTE_PORT};

    if (argc > 1 && nd_addr_parse(argv[1], strlen(argv[1]), &at) != ND_OK) {
        fprintf(stderr, "usage: agent [HOST:PORT [TOKEN]]\n");
        return 2;
    }
    if (make_agent() != ND_OK) {
        return 1;
    }
    add_commands();
    if (nd_remote_serve(&remote, &agent, &at, &console, argc > 2 ? argv[2] : NULL) != ND_OK) {
        fprintf(stderr, "agent: the console's address is not to be had\n");
        return 1;
    }
    serve();
    for (;;) {
        if (!nd_agent_poll(&agent)) {
            sleep_a_while();
        }
    }
}

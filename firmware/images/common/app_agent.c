/* SPDX-License-Identifier: BSD-3-Clause */
/* The agent over an image's stack: its servers, the ttcp command, and the console on the
 * simulator's side channel. */
#include "app.h"
#include "board.h"
#include "driver_command.h"
#include "facts.h"
#include "image_timing.h"
#include "loads.h"
#include "machine.h"
#include "side_console.h"
#include "stack.h"
#include "station.h"

#include "nd/agent.h"
#include "nd/chargen.h"
#include "nd/console.h"
#include "nd/datagram.h"
#include "nd/discard.h"
#include "nd/echo.h"
#include "nd/iperf.h"
#include "nd/iperf3.h"
#include "nd/memtest.h"
#include "nd/rr.h"
#include "nd/ttcp.h"

/* TCP port 7 is memtest's, as in the origin of that test. */
#define ECHO_PORT (1000u + ND_ECHO_PORT)

/* Tests of iperf 2 at once. */
#define IPERF_TESTS 3u

/* The longest datagram that fits in a frame [byte]. */
#define DATAGRAM_BYTES 1472u

const char *const nd_app_name = "agent";

static struct nd_agent agent;
static struct nd_console console;
static struct nd_memtest_server memtest;
static struct nd_ttcp ttcp;
static struct nd_command ttcp_command;
static struct nd_command ping_command;
static struct nd_ping ping;
static struct nd_command memtest_command;
static struct nd_command iperf_command;
static struct nd_command iperf3_command;
static struct nd_command driver_command;
static struct nd_stream_server echo;
static struct nd_stream_server discard;
static struct nd_stream_server chargen;
static struct nd_stream_conn echo_callers[ND_APP_CALLERS];
static struct nd_stream_conn discard_callers[ND_APP_CALLERS];
static struct nd_stream_conn chargen_callers[ND_APP_CALLERS];
static struct nd_datagram_server echo_udp;
static struct nd_datagram_server discard_udp;
static struct nd_datagram_server chargen_udp;
static struct nd_iperf iperf;
static struct nd_iperf_test iperf_tests[IPERF_TESTS];
static struct nd_iperf3 iperf3;
static struct nd_iperf3_stream iperf3_streams[ND_APP_IPERF3_STREAMS];

/* Both iperfs make their datagrams here: each writes all of its header anew and leaves the same
 * pattern behind it. */
static uint8_t datagram[DATAGRAM_BYTES];

static void require(int result) {
    if (result != ND_OK) {
        nd_machine_abandon(nd_error_name(result));
    }
}

static void start_udp_servers(void) {
    const struct nd_addr at_echo = {.port = ND_ECHO_PORT};
    const struct nd_addr at_discard = {.port = ND_DISCARD_PORT};
    const struct nd_addr at_chargen = {.port = ND_CHARGEN_PORT};

    require(nd_datagram_serve(&echo_udp, &agent, ND_DATAGRAM_ECHO, &at_echo));
    require(nd_datagram_serve(&discard_udp, &agent, ND_DATAGRAM_DISCARD, &at_discard));
    require(nd_datagram_serve(&chargen_udp, &agent, ND_DATAGRAM_CHARGEN, &at_chargen));
}

static void start_iperfs(void) {
    const struct nd_iperf_server_cfg cfg = {.at = {.port = ND_IPERF_PORT},
                                            .tcp = true,
                                            .udp = true,
                                            /* The network of this image is simulated. */
                                            .limits = {.udp_to_askers = true}};
    const struct nd_addr at_iperf3 = {.port = ND_IPERF3_PORT};
    struct nd_iperf3_memory servers; /* the command's, too: one test at a time */

    nd_iperf_init(&iperf, &agent, iperf_tests, IPERF_TESTS, datagram, sizeof datagram);
    require(nd_iperf_serve(&iperf, &cfg));
    iperf3.memory = (struct nd_iperf3_memory){.streams = iperf3_streams,
                                              .stream_count = ND_APP_IPERF3_STREAMS,
                                              .datagram = datagram,
                                              .datagram_bytes = sizeof datagram};
    servers = iperf3.memory;
    servers.other = &iperf3.client.test.session;
    require(nd_iperf3_serve(&iperf3.server, &agent, &at_iperf3, &servers, NULL));
}

static void start_servers(void) {
    const struct nd_addr at_memtest = {.port = ND_MEMTEST_PORT};
    const struct nd_addr at_echo = {.port = ECHO_PORT};
    const struct nd_addr at_discard = {.port = ND_DISCARD_PORT};
    const struct nd_addr at_chargen = {.port = ND_CHARGEN_PORT};

    require(nd_memtest_serve(&memtest, &agent, &at_memtest, 0));
    require(nd_echo_serve(&echo, &agent, &at_echo, echo_callers, ND_APP_CALLERS));
    require(nd_discard_serve(&discard, &agent, &at_discard, discard_callers, ND_APP_CALLERS));
    require(nd_chargen_serve(&chargen, &agent, &at_chargen, chargen_callers, ND_APP_CALLERS));
}

static void add_ping(void) {
    ping.path = nd_stack_ping;
    nd_ping_command(&ping_command, &ping);
    nd_console_add(&console, &ping_command);
}

static void add_rr(void) {
#if ND_BOARD_RR
    static struct nd_rr_console rr;
    static struct nd_command rr_command;

    nd_rr_command(&rr_command, &rr);
    nd_console_add(&console, &rr_command);
#endif
}

void nd_app_start(void) {
    struct nd_agent_cfg cfg = {
        .clock = &nd_station_clock,
        .idle_ticks = ND_BOARD_TICK_KIND == ND_CLOCK_TIME ? NULL : nd_station_idle(),
        .facts = nd_facts,
        .fact_count = nd_fact_count,
    };

    nd_stack_open(&cfg);
    require(nd_agent_init(&agent, &cfg));
    nd_console_init(&console, &agent);
    nd_ttcp_command(&ttcp_command, &ttcp);
    nd_console_add(&console, &ttcp_command);
    add_ping();
    add_rr();
    nd_memtest_command(&memtest_command, &memtest);
    nd_console_add(&console, &memtest_command);
    nd_iperf_command(&iperf_command, &iperf);
    nd_console_add(&console, &iperf_command);
    nd_iperf3_command(&iperf3_command, &iperf3);
    nd_console_add(&console, &iperf3_command);
    nd_driver_command(&driver_command);
    nd_console_add(&console, &driver_command);
    nd_loads_add(&console);
    nd_image_timing_start(&agent, &console);
    start_servers();
    start_udp_servers();
    start_iperfs();
}

bool nd_app_work(void) {
    bool again = nd_agent_poll(&agent);

    nd_image_timing_work();
    if (nd_side_console_rests(&console)) {
        return again;
    }
    return nd_side_console_work(&console) || again;
}

uint64_t nd_app_sleep(void) {
    return nd_agent_sleep(&agent);
}

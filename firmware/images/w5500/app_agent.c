/* SPDX-License-Identifier: BSD-3-Clause */
/* The agent over the chip. Eight sockets are few: the servers that the default plan and the
 * W55RP20's experiments need have one each, in the order of their worth when there are fewer, and
 * two are left for connections and what a command begins. */
#include "app.h"
#include "board.h"
#include "bus_command.h"
#include "driver_command.h"
#include "facts.h"
#include "machine.h"
#include "side_console.h"
#include "station.h"
#include "w5500/chip.h"

#include <string.h>

#include "nd/agent.h"
#include "nd/chunks.h"
#include "nd/datagram.h"
#include "nd/discard.h"
#include "nd/echo.h"
#include "nd/iperf.h"
#include "nd/memtest.h"
#include "nd/rr.h"
#include "nd/ttcp.h"

/* TCP port 7 is memtest's, as in the origin of that test. */
#define ECHO_PORT (1000u + ND_ECHO_PORT)

#define CALLERS     1u
#define IPERF_TESTS 2u

/* The longest datagram that fits in a frame [byte]. */
#define DATAGRAM_BYTES 1472u

/* A full receive buffer of one socket is taken in one transaction. */
#define STAGE_BYTES 16384u

/* Sockets for connections, beside the servers. */
#define SPARE_SOCKETS 2u

static struct nd_w5500 port;
static struct nd_w5500_slot slots[ND_W5500_SOCKETS];
static uint8_t stage[ND_W5500_SOCKETS * STAGE_BYTES];
static struct nd_agent agent;
static struct nd_console console;
static struct nd_memtest_server memtest;
static struct nd_stream_server echo;
static struct nd_stream_server discard;
static struct nd_stream_conn echo_callers[CALLERS];
static struct nd_stream_conn discard_callers[CALLERS];
static struct nd_datagram_server echo_udp;
static struct nd_iperf iperf;
static struct nd_iperf_test iperf_tests[IPERF_TESTS];
static struct nd_ttcp ttcp;
static struct nd_rr_console rr;
static struct nd_chunks_console chunks;
static uint8_t datagram[DATAGRAM_BYTES];
static uint8_t chunk_memory[ND_CHUNKS_MEMORY(ND_BOARD_CHUNK_BYTES)] __attribute__((aligned(4)));

static void require(int result) {
    if (result != ND_OK) {
        nd_machine_abandon(nd_error_name(result));
    }
}

/* ---- the chip ---- */

/* 16 KiB each way, shared alike: the greatest power of two that leaves enough for all. */
static uint8_t share_kib(uint32_t sockets) {
    uint8_t kib = 16;

    while (kib * sockets > 16) {
        kib = (uint8_t)(kib / 2);
    }
    return kib;
}

static void start_chip(struct nd_w5500_cfg *cfg, const struct nd_options *options,
                       const uint8_t mac[6]) {
    const struct nd_lockstep_welcome *welcome = nd_station_welcome();

    if (memcmp(welcome->ip, (const uint8_t[4]){0}, sizeof welcome->ip) == 0) {
        nd_machine_abandon("the chip has no DHCP client; give it an address");
    }
    *cfg = (struct nd_w5500_cfg){
        .bus = {nd_chip_select, nd_chip_deselect, nd_chip_read, nd_chip_write}};
    memcpy(cfg->mac, mac, sizeof cfg->mac);
    memcpy(cfg->ip, welcome->ip, sizeof cfg->ip);
    memcpy(cfg->mask, welcome->mask, sizeof cfg->mask);
    memcpy(cfg->gateway, welcome->gateway, sizeof cfg->gateway);
    memset(cfg->rx_kib, share_kib(options->sockets), options->sockets);
    memset(cfg->tx_kib, share_kib(options->sockets), options->sockets);
    require(nd_w5500_init(&port, cfg, slots, options->sockets, stage, STAGE_BYTES));
}

/* ---- servers ---- */

static int serve_iperf_udp(void) {
    const struct nd_iperf_server_cfg cfg = {.at = {.port = ND_IPERF_PORT},
                                            .udp = true,
                                            .interval_ns = 1000000000,
                                            /* The network of this image is simulated. */
                                            .limits = {.udp_to_askers = true}};

    return nd_iperf_serve(&iperf, &cfg);
}

static int serve_echo_udp(void) {
    return nd_datagram_serve(&echo_udp, &agent, ND_DATAGRAM_ECHO,
                             &(const struct nd_addr){.port = ND_ECHO_PORT});
}

static int serve_memtest(void) {
    return nd_memtest_serve(&memtest, &agent, &(const struct nd_addr){.port = ND_MEMTEST_PORT}, 0);
}

static int serve_discard(void) {
    return nd_discard_serve(&discard, &agent, &(const struct nd_addr){.port = ND_DISCARD_PORT},
                            discard_callers, CALLERS);
}

static int serve_echo(void) {
    return nd_echo_serve(&echo, &agent, &(const struct nd_addr){.port = ECHO_PORT}, echo_callers,
                         CALLERS);
}

/* As many as leave the spare sockets, but at least the first. */
static void start_servers(uint32_t sockets) {
    static int (*const servers[])(void) = {serve_iperf_udp, serve_echo_udp, serve_memtest,
                                           serve_discard, serve_echo};

    for (uint32_t i = 0; i < sizeof servers / sizeof *servers; i++) {
        if (i == 0 || i + SPARE_SOCKETS < sockets) {
            require(servers[i]());
        }
    }
}

static void add_commands(void) {
    static struct nd_command commands[7];

    nd_chunks_init(&chunks.chunks, chunk_memory, sizeof chunk_memory);
    nd_ttcp_command(&commands[0], &ttcp);
    nd_memtest_command(&commands[1], &memtest);
    nd_iperf_command(&commands[2], &iperf);
    nd_rr_command(&commands[3], &rr);
    nd_driver_command(&commands[4]);
    nd_bus_command(&commands[5], &port);
    nd_chunks_command(&commands[6], &chunks);
    for (unsigned i = 0; i < sizeof commands / sizeof *commands; i++) {
        nd_console_add(&console, &commands[i]);
    }
}

void nd_app_start(const struct nd_options *options, const uint8_t mac[6]) {
    struct nd_agent_cfg cfg = {
        .port = &nd_port_w5500,
        .port_ctx = &port,
        .clock = &nd_station_clock,
        .idle_ticks = nd_station_idle(), /* what is not idle is the bus */
    };
    struct nd_w5500_cfg chip;

    start_chip(&chip, options, mac);
    cfg.facts = nd_facts(options, &chip, STAGE_BYTES, &cfg.fact_count);
    require(nd_agent_init(&agent, &cfg));
    nd_console_init(&console, &agent);
    nd_iperf_init(&iperf, &agent, iperf_tests, IPERF_TESTS, datagram, sizeof datagram);
    add_commands();
    start_servers(options->sockets);
}

bool nd_app_work(void) {
    bool again = nd_agent_poll(&agent);

    if (nd_side_console_rests(&console)) {
        return again;
    }
    return nd_side_console_work(&console) || again;
}

uint64_t nd_app_sleep(void) {
    return nd_agent_sleep(&agent);
}

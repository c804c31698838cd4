/* SPDX-License-Identifier: BSD-3-Clause */
/* w5500_udp - the two experiments of the W55RP20 on the modelled chip.
 *
 *   w5500_udp IMAGE receive SPI_HZ SOCKETS BIT_S SECONDS
 *   w5500_udp IMAGE loopback SPI_HZ SOCKETS BYTES SECONDS
 *
 * receive: iperf's datagrams of 1470 byte, offered at BIT_S; what the device prints is printed,
 * then one line of figures. loopback: datagrams to the device's echo, one at a time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nd/iperf.h"
#include "nd/rr.h"
#include "sim.h"

#define DATAGRAM 1470u

struct bench {
    struct nd_sim *sim;
    struct nd_agent agent;
    struct nd_iperf iperf;
    struct nd_iperf_test test;
    struct nd_rr rr;
    struct nd_report_sink sink;
    bool joined;
    bool done;
    int result;
    uint64_t tx_datagrams;
    struct nd_sequence theirs; /* the device's count, as iperf's last report brings it */
    uint64_t theirs_ns;
    uint64_t round_trips;
    uint64_t elapsed_ns;
};

/* The device's answer to "bus". */
struct bus {
    uint64_t selects;
    uint64_t bytes;
    uint64_t ns;
    uint64_t at_ns;
};

static struct bench bench;

static void fail(const char *what) {
    fprintf(stderr, "w5500_udp: %s\n", what);
    exit(1);
}

static void poll_peer(void *ctx) {
    (void)ctx;
    while (bench.joined && nd_agent_poll(&bench.agent)) {
    }
}

static uint64_t sleep_ns(void *ctx) {
    (void)ctx;
    return bench.joined ? nd_agent_sleep(&bench.agent) : UINT64_MAX; /* its ticks are ns */
}

static void keep_report(void *ctx, const struct nd_report *report) {
    (void)ctx;
    if (report->interval) {
        return;
    }
    bench.done = true;
    bench.result = report->result;
    bench.tx_datagrams = report->tx_datagrams;
    bench.round_trips = report->round_trips;
    bench.elapsed_ns = nd_agent_ns(&bench.agent, report->end - report->begin);
    if (report->peer_datagrams != NULL) {
        bench.theirs = *report->peer_datagrams;
        bench.theirs_ns = report->peer_ns;
    }
}

static void start(const char *image, const char *const *words) {
    struct nd_sim_cfg cfg = {.machine = ND_SIM_NATIVE,
                             .firmware = image,
                             .words = words,
                             .seed = 1,
                             .peer_poll = poll_peer,
                             .peer_sleep_ns = sleep_ns};
    static uint8_t datagram[DATAGRAM];
    char error[ND_SIM_ERROR_BYTES];

    bench.sim = nd_sim_open(&cfg, error);
    if (bench.sim == NULL) {
        fail(error);
    }
    struct nd_agent_cfg agent = {.port = nd_sim_port(bench.sim),
                                 .port_ctx = nd_sim_port_ctx(bench.sim),
                                 .clock = nd_sim_clock(bench.sim)};
    if (nd_agent_init(&bench.agent, &agent) != ND_OK) {
        fail("the peer's agent does not start");
    }
    bench.sink.put = keep_report;
    nd_agent_add_sink(&bench.agent, &bench.sink);
    nd_iperf_init(&bench.iperf, &bench.agent, &bench.test, 1, datagram, sizeof datagram);
    bench.joined = true;
}

static void step(void) {
    if (nd_sim_step(bench.sim) != ND_OK) {
        fail(nd_sim_error(bench.sim));
    }
}

/* Run on, and print what the device says. */
static void run_for(uint64_t ns) {
    const uint64_t end_ns = nd_sim_counts(bench.sim).now_ns + ns;
    char text[512];
    size_t count;

    while (nd_sim_counts(bench.sim).now_ns < end_ns && !bench.done) {
        step();
        while ((count = nd_sim_console_read(bench.sim, text, sizeof text)) > 0) {
            fwrite(text, 1, count, stdout);
        }
    }
}

static struct bus ask_bus(void) {
    char text[1024] = "";
    size_t length = 0;
    struct bus bus = {0};
    const char *line = NULL;

    nd_sim_console_write(bench.sim, "bus\n", 4);
    for (unsigned i = 0; i < 100000 && (line == NULL || strchr(line, '\n') == NULL); i++) {
        step();
        length += nd_sim_console_read(bench.sim, text + length, sizeof text - 1 - length);
        text[length] = '\0';
        line = strstr(text, "bus_selects=");
    }
    if (line == NULL ||
        sscanf(line, "bus_selects=%" SCNu64 " bus_bytes=%" SCNu64 " bus_ns=%" SCNu64, &bus.selects,
               &bus.bytes, &bus.ns) != 3) {
        fail("the device does not tell of its bus");
    }
    bus.at_ns = nd_sim_counts(bench.sim).now_ns;
    return bus;
}

/* What the clock of the bus allows at most: the datagrams and the chip's 8 bytes in front of each.
 */
static double clock_ceiling_bit_s(double spi_hz) {
    return spi_hz * DATAGRAM / (8 + DATAGRAM);
}

/* The same when a transaction brings one datagram, with all that the port adds to it
 * (ports/w5500/README.md) and a microsecond for each transaction. */
static double single_ceiling_bit_s(double spi_hz) {
    const double bytes = (3 + 8 + DATAGRAM) + (3 + 41) + (3 + 2) + (3 + 1);

    return DATAGRAM * 8 / (bytes * 8 / spi_hz + 4e-6);
}

static void receive(const char *spi_hz, uint64_t bit_s, uint64_t seconds) {
    struct nd_iperf_client_cfg cfg = {.udp = true,
                                      .to = nd_sim_device(bench.sim),
                                      .len = DATAGRAM,
                                      .bit_s = bit_s,
                                      .duration_ns = seconds * 1000000000u};
    struct bus begin;
    struct bus end;

    cfg.to.port = ND_IPERF_PORT;
    begin = ask_bus();
    if (nd_iperf_connect(&bench.iperf, &cfg) != ND_OK) {
        fail("iperf does not start");
    }
    nd_agent_poll(&bench.agent);
    run_for(2000000000u * (seconds + 5));
    end = ask_bus();
    if (!bench.done || bench.result != ND_OK || bench.theirs_ns == 0) {
        fail("iperf did not end with a report of the device");
    }
    const double received = (double)bench.theirs.datagrams;
    const double elapsed_ns = (double)bench.theirs_ns;
    const double rate = received * DATAGRAM * 8e9 / elapsed_ns;
    printf("offered_mbit_s %.2f mbit_s %.2f sent %" PRIu64 " lost %" PRIu64 " lost_pct %.1f "
           "bus_share_pct %.1f bus_bytes_per_byte %.4f frames_per_datagram %.2f "
           "clock_ceiling_mbit_s %.2f single_ceiling_mbit_s %.2f\n",
           (double)bench.tx_datagrams * DATAGRAM * 8e-6 / (double)seconds, rate * 1e-6,
           bench.tx_datagrams, bench.theirs.lost,
           100.0 * (double)bench.theirs.lost / (double)bench.tx_datagrams,
           100.0 * (double)(end.ns - begin.ns) / (double)(end.at_ns - begin.at_ns),
           (double)(end.bytes - begin.bytes) / (received * DATAGRAM),
           (double)(end.selects - begin.selects) / received,
           clock_ceiling_bit_s(atof(spi_hz)) * 1e-6, single_ceiling_bit_s(atof(spi_hz)) * 1e-6);
}

static void loopback(uint64_t bytes, uint64_t seconds) {
    const struct nd_rr_cfg cfg = {.to = nd_sim_device(bench.sim),
                                  .udp = true,
                                  .bytes = (uint32_t)bytes,
                                  .duration_ns = seconds * 1000000000u};
    if (nd_rr_start(&bench.rr, &bench.agent, &cfg) != ND_OK) {
        fail("rr does not start");
    }
    nd_agent_poll(&bench.agent);
    run_for(2000000000u * (seconds + 5));
    if (!bench.done || bench.result != ND_OK || bench.round_trips == 0) {
        fail("rr did not end well");
    }
    printf("loopback_bytes %" PRIu64 " round_trips %" PRIu64 " mbit_s_each_way %.2f\n", bytes,
           bench.round_trips,
           (double)bench.round_trips * (double)bytes * 8e3 / (double)bench.elapsed_ns);
}

int main(int argc, char **argv) {
    char spi_hz[32];
    char sockets[32];
    const char *words[] = {spi_hz, sockets, NULL};

    if (argc != 7 || (strcmp(argv[2], "receive") != 0 && strcmp(argv[2], "loopback") != 0)) {
        fprintf(stderr, "usage: w5500_udp IMAGE receive|loopback SPI_HZ SOCKETS BIT_S|BYTES "
                        "SECONDS\n");
        return 2;
    }
    snprintf(spi_hz, sizeof spi_hz, "spi_hz=%s", argv[3]);
    snprintf(sockets, sizeof sockets, "sockets=%s", argv[4]);
    start(argv[1], words);
    if (strcmp(argv[2], "receive") == 0) {
        receive(argv[3], strtoull(argv[5], NULL, 10), strtoull(argv[6], NULL, 10));
    } else {
        loopback(strtoull(argv[5], NULL, 10), strtoull(argv[6], NULL, 10));
    }
    nd_sim_close(bench.sim);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* rollers - run one firmware on the simulated wire for some virtual seconds and print its cost.
 *
 *   rollers FIRMWARE.elf rx|tx SECONDS [COMMAND]
 *
 * rx: the peer sends to the device's port 5001; tx: the peer receives on its port 5001. The peer is
 * netdyno's ttcp, and what is counted is the work of the whole device, whatever application runs on
 * it: so an image with the agent and one without it are measured alike. COMMAND is typed into the
 * device's console first. Prints one line: bytes, virtual seconds, Mbit/s, instructions per byte,
 * share of busy, wall seconds. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "nd/ttcp.h"
#include "sim.h"

#define PORT 5001u

/* Virtual time that the device gets to start its receiver, and a stack to refuse too early a call
 * [ns]. */
#define WARM_UP_NS 100000000u

struct rollers {
    struct nd_sim *sim;
    struct nd_agent agent;
    struct nd_ttcp ttcp;
    struct nd_report_sink sink;
    bool joined;
    bool done;
    struct nd_report report;
};

static void fail(const char *what) {
    fprintf(stderr, "rollers: %s\n", what);
    exit(1);
}

static void poll_peer(void *ctx) {
    struct rollers *rollers = ctx;

    while (rollers->joined && nd_agent_poll(&rollers->agent)) {
    }
}

static void keep_report(void *ctx, const struct nd_report *report) {
    struct rollers *rollers = ctx;

    rollers->report = *report;
    rollers->done = true;
}

static double wall_s(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void step(struct rollers *rollers) {
    if (nd_sim_step(rollers->sim) != ND_OK) {
        fail(nd_sim_error(rollers->sim));
    }
}

static void run_until(struct rollers *rollers, uint64_t ns) {
    while (nd_sim_counts(rollers->sim).now_ns < ns) {
        step(rollers);
    }
}

static void start(struct rollers *rollers, const char *firmware) {
    struct nd_sim_cfg cfg = {.machine = ND_SIM_QEMU,
                             .firmware = firmware,
                             .seed = 1,
                             .peer_poll = poll_peer,
                             .peer_ctx = rollers};
    char error[ND_SIM_ERROR_BYTES];

    rollers->sim = nd_sim_open(&cfg, error);
    if (rollers->sim == NULL) {
        fail(error);
    }
    struct nd_agent_cfg agent = {.port = nd_sim_port(rollers->sim),
                                 .port_ctx = nd_sim_port_ctx(rollers->sim),
                                 .clock = nd_sim_clock(rollers->sim)};
    if (nd_agent_init(&rollers->agent, &agent) != ND_OK) {
        fail("the peer's agent does not start");
    }
    rollers->sink = (struct nd_report_sink){.put = keep_report, .ctx = rollers};
    nd_agent_add_sink(&rollers->agent, &rollers->sink);
    rollers->joined = true;
}

static void start_peer(struct rollers *rollers, bool device_receives, double seconds) {
    struct nd_ttcp_cfg cfg = {.addr = {.port = PORT}, .buflen = 8192};

    if (device_receives) {
        cfg.transmit = true;
        cfg.borrow = true;
        cfg.addr = nd_sim_device(rollers->sim);
        cfg.addr.port = PORT;
        cfg.duration_ns = (uint64_t)(seconds * 1e9);
    }
    if (nd_ttcp_start(&rollers->ttcp, &rollers->agent, &cfg) != ND_OK) {
        fail("the peer's ttcp does not start");
    }
}

/* Bytes that reached the receiver: of the peer's, what the device has acknowledged. */
static uint64_t arrived(const struct rollers *rollers, bool device_receives) {
    const struct nd_ttcp *ttcp = &rollers->ttcp;
    struct nd_conn_info info;

    if (!device_receives) {
        return ttcp->flow.rx.bytes;
    }
    rollers->agent.cfg.port->info(ttcp->session.conn, &info);
    return ttcp->flow.tx.bytes - (uint64_t)info.unacked_bytes;
}

/* What is counted lies between two instants of virtual time well inside the transfer, so that
 * set-up and end are nobody's cost. */
static void measure(struct rollers *rollers, bool device_receives, double seconds) {
    struct nd_sim_counts begin = nd_sim_counts(rollers->sim);
    uint64_t bytes = arrived(rollers, device_receives);
    double wall = wall_s();

    run_until(rollers, begin.now_ns + (uint64_t)(seconds * 1e9));
    wall = wall_s() - wall;
    struct nd_sim_counts end = nd_sim_counts(rollers->sim);
    bytes = arrived(rollers, device_receives) - bytes;
    if (bytes == 0 || rollers->done) {
        fail("the transfer stood still or ended early");
    }
    double virtual_s = (double)(end.now_ns - begin.now_ns) * 1e-9;
    double busy = (double)(end.busy_ticks - begin.busy_ticks);
    printf("bytes %" PRIu64 " virtual_s %.3f mbit_s %.2f instructions_per_byte %.4f busy %.3f "
           "wall_s %.2f drops %" PRIu64 "\n",
           bytes, virtual_s, (double)bytes * 8e-6 / virtual_s, busy / (double)bytes,
           busy / virtual_s / nd_sim_hello(rollers->sim)->hz, wall, end.ring_drops);
}

int main(int argc, char **argv) {
    static struct rollers rollers;

    if (argc < 4 || (strcmp(argv[2], "rx") != 0 && strcmp(argv[2], "tx") != 0)) {
        fprintf(stderr, "usage: rollers FIRMWARE.elf rx|tx SECONDS [COMMAND]\n");
        return 2;
    }
    bool device_receives = strcmp(argv[2], "rx") == 0;
    double seconds = atof(argv[3]);
    start(&rollers, argv[1]);
    if (!device_receives) {
        start_peer(&rollers, false, seconds);
    }
    if (argc > 4) {
        nd_sim_console_write(rollers.sim, argv[4], strlen(argv[4]));
        nd_sim_console_write(rollers.sim, "\n", 1);
    }
    run_until(&rollers, WARM_UP_NS);
    if (device_receives) {
        start_peer(&rollers, true, seconds + 10);
        run_until(&rollers, 2 * WARM_UP_NS);
    }
    measure(&rollers, device_receives, seconds);
    nd_sim_close(rollers.sim);
    return 0;
}

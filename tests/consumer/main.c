/* SPDX-License-Identifier: BSD-3-Clause */
/* main.c - the smallest program that adds the agent: it sends to itself and counts. */
#include "netdyno.h"

#include <stdio.h>

#include "loop.h"

#define SLOTS      4u
#define RING_BYTES 2000u
#define POLLS      10000u

static uint32_t ticks;

static uint32_t read_ticks(void *ctx) {
    (void)ctx;
    return ticks++;
}

static struct nd_report sent;
static struct nd_report received;

static void keep(void *ctx, const struct nd_report *report) {
    (void)ctx;
    if (report->role[0] == 'c') {
        sent = *report;
    } else {
        received = *report;
    }
}

int main(void) {
    static struct nd_loop loop;
    static struct nd_loop_slot slots[SLOTS];
    static uint8_t rings[SLOTS * RING_BYTES];
    static const struct nd_clock clock = {NULL, read_ticks,           NULL, "count", 1000000,
                                          32,   ND_CLOCK_INSTRUCTIONS};
    static struct nd_agent_cfg cfg;
    static struct nd_agent agent;
    static struct nd_report_sink sink = {keep, NULL, NULL};
    static struct nd_ttcp receiver;
    static struct nd_ttcp sender;
    static struct nd_ttcp_cfg receive;
    static struct nd_ttcp_cfg send;

    nd_loop_init(&loop, slots, SLOTS, rings, RING_BYTES);
    cfg.port = &nd_port_loop;
    cfg.port_ctx = &loop;
    cfg.clock = &clock;
    if (nd_agent_init(&agent, &cfg) != ND_OK) {
        return 1;
    }
    nd_agent_add_sink(&agent, &sink);
    receive.addr.port = ND_TTCP_PORT;
    send.addr = receive.addr;
    send.addr.family = 4;
    send.transmit = true;
    send.nbuf = 100;
    if (nd_ttcp_start(&receiver, &agent, &receive) != ND_OK ||
        nd_ttcp_start(&sender, &agent, &send) != ND_OK) {
        return 1;
    }
    for (uint32_t i = 0; i < POLLS && sender.session.number + receiver.session.number > 0; i++) {
        nd_agent_poll(&agent);
    }
    printf("sent %lu received %lu\n", (unsigned long)sent.flow.tx.bytes,
           (unsigned long)received.flow.rx.bytes);
    return 0;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "fuzz_kit.h"

#include <stdlib.h>
#include <string.h>

static uint32_t read_clock(void *ctx) {
    return ((struct fuzz *)ctx)->ticks;
}

static void check_figures(const struct nd_sequence *figures) {
    if (figures->lost > figures->expected + figures->recovered ||
        figures->datagrams > figures->expected + figures->recovered) {
        abort();
    }
}

static void check_report(void *ctx, const struct nd_report *report) {
    (void)ctx;
    if (report->engine == NULL || report->role == NULL || report->end < report->begin) {
        abort();
    }
    if (report->datagrams != NULL) {
        check_figures(report->datagrams);
    }
    if (report->peer_datagrams != NULL) {
        check_figures(report->peer_datagrams);
    }
}

void fuzz_begin(struct fuzz *fuzz, const uint8_t *data, size_t size) {
    memset(fuzz, 0, sizeof *fuzz);
    fuzz->data = data;
    fuzz->size = size;
    nd_loop_init(&fuzz->loop, fuzz->slots, FUZZ_SLOTS, fuzz->rings, FUZZ_RING_BYTES);
    fuzz->clock = (struct nd_clock){.read = read_clock,
                                    .ctx = fuzz,
                                    .name = "fuzz",
                                    .hz = 1000000,
                                    .bits = 32,
                                    .kind = ND_CLOCK_TIME};
    struct nd_agent_cfg cfg = {
        .port = &nd_port_loop, .port_ctx = &fuzz->loop, .clock = &fuzz->clock};
    if (nd_agent_init(&fuzz->agent, &cfg) != ND_OK) {
        abort();
    }
    fuzz->sink.put = check_report;
    nd_agent_add_sink(&fuzz->agent, &fuzz->sink);
}

void fuzz_run(struct fuzz *fuzz, unsigned polls, uint32_t us) {
    for (unsigned i = 0; i < polls; i++) {
        fuzz->ticks += us;
        nd_agent_poll(&fuzz->agent);
    }
}

uint8_t fuzz_byte(struct fuzz *fuzz) {
    size_t len = 1;
    const uint8_t *byte = fuzz_take(fuzz, &len);

    return len == 1 ? *byte : 0;
}

const uint8_t *fuzz_take(struct fuzz *fuzz, size_t *len) {
    const uint8_t *bytes = fuzz->data;

    if (*len > fuzz->size) {
        *len = fuzz->size;
    }
    fuzz->data += *len;
    fuzz->size -= *len;
    return bytes;
}

struct nd_addr fuzz_addr(uint16_t port) {
    return (struct nd_addr){.ip = {10, 0, 0, 1}, .family = 4, .port = port};
}

static void drop_received(struct nd_conn *conn) {
    const void *bytes;
    int32_t n;

    while ((n = nd_port_loop.rx(conn, &bytes)) > 0) {
        nd_port_loop.rx_done(conn, (uint32_t)n);
    }
}

void fuzz_call(struct fuzz *fuzz, uint16_t to) {
    struct nd_addr addr = fuzz_addr(to);
    bool orderly = fuzz_byte(fuzz) % 2 == 0;
    struct nd_conn *conn;

    if (nd_port_loop.connect(&fuzz->loop, &addr, &conn) != ND_OK) {
        abort();
    }
    fuzz_run(fuzz, 4, 10);
    while (fuzz->size > 0) {
        size_t len = 1 + fuzz_byte(fuzz);
        const uint8_t *bytes = fuzz_take(fuzz, &len);
        if (len > 0 && nd_port_loop.tx(conn, bytes, (uint32_t)len, 0) < 0) {
            break;
        }
        fuzz_run(fuzz, 2, 10);
        drop_received(conn);
    }
    if (orderly) {
        nd_port_loop.end(conn);
        fuzz_run(fuzz, 4, 10);
    }
    nd_port_loop.close(conn);
    fuzz_run(fuzz, 4, 10);
}

static void drop_datagrams(struct nd_conn *socket) {
    struct nd_addr from;
    const void *bytes;
    int32_t n;

    while ((n = nd_port_loop.udp_rx(socket, &from, &bytes)) > 0) {
        nd_port_loop.rx_done(socket, (uint32_t)n);
    }
}

void fuzz_send(struct fuzz *fuzz, uint16_t from, uint16_t to) {
    struct nd_addr addr = fuzz_addr(to);
    struct nd_conn *sockets[2];

    for (uint16_t i = 0; i < 2; i++) {
        struct nd_addr local = fuzz_addr((uint16_t)(from + i));
        if (nd_port_loop.udp_open(&fuzz->loop, &local, &sockets[i]) != ND_OK) {
            abort();
        }
    }
    while (fuzz->size > 0) {
        uint8_t head = fuzz_byte(fuzz);
        size_t len = 1 + (head >> 1);
        const uint8_t *bytes = fuzz_take(fuzz, &len);
        if (len > 0) {
            nd_port_loop.udp_tx(sockets[head % 2], &addr, bytes, (uint32_t)len, 0);
        }
        fuzz_run(fuzz, 2, 5000);
        drop_datagrams(sockets[0]);
        drop_datagrams(sockets[1]);
    }
    nd_port_loop.close(sockets[0]);
    nd_port_loop.close(sockets[1]);
}

void fuzz_end(struct fuzz *fuzz) {
    nd_agent_stop_tests(&fuzz->agent);
    fuzz_run(fuzz, 4, 10);
    nd_agent_close(&fuzz->agent);
    if (nd_loop_used(&fuzz->loop) != 0) {
        abort();
    }
}

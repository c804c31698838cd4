/* SPDX-License-Identifier: BSD-3-Clause */
/* w5500_ours.c - the port, as w5500_bus.c measures it. */
#include "w5500_driver.h"

#include <stdio.h>
#include <stdlib.h>

#define STAGE_BYTES 16384u

static const struct nd_port *const port = &nd_port_w5500;
static struct nd_w5500 ctx;
static struct nd_w5500_slot slots[2];
static uint8_t stage[2 * STAGE_BYTES];
static struct nd_conn *listener;
static struct nd_conn *conn;

static void require(bool good) {
    if (!good) {
        fprintf(stderr, "w5500-bus: the port does not do what it should\n");
        exit(1);
    }
}

static void start(const struct nd_w5500_bus *bus) {
    const struct nd_w5500_cfg cfg = {.bus = *bus,
                                     .mac = {0x02, 0x6E, 0x64, 0, 0, 1},
                                     .ip = DRIVER_IP,
                                     .mask = {255, 255, 255, 0},
                                     .rx_kib = {[DRIVER_SOCKET] = 8},
                                     .tx_kib = {[DRIVER_SOCKET] = 8}};

    require(nd_w5500_init(&ctx, &cfg, slots, 2, stage, STAGE_BYTES) == ND_OK);
}

static void listen(void) {
    require(port->listen(&ctx, &(const struct nd_addr){.port = DRIVER_PORT}, &listener) == ND_OK);
}

static void accept(void) {
    while (port->accept(listener, &conn) != ND_OK) {
        port->step(&ctx);
    }
    port->close(listener);
    for (unsigned i = 0; i < 8; i++) {
        port->step(&ctx);
    }
}

static void open_udp(void) {
    require(port->udp_open(&ctx, &(const struct nd_addr){.port = DRIVER_PORT}, &conn) == ND_OK);
    for (unsigned i = 0; i < 8; i++) {
        port->step(&ctx);
    }
}

static uint32_t receive(bool all) {
    const void *bytes;
    uint32_t total = 0;
    int32_t len;

    port->step(&ctx);
    do {
        len = port->rx(conn, &bytes);
        require(len > 0);
        total += (uint32_t)len;
    } while (port->rx_done(conn, (uint32_t)len) && all);
    return total;
}

static uint32_t receive_udp(bool all) {
    struct nd_addr from;
    const void *bytes;
    uint32_t total = 0;
    int32_t len;

    port->step(&ctx);
    do {
        len = port->udp_rx(conn, &from, &bytes);
        require(len > 0);
        total += (uint32_t)len;
    } while (port->rx_done(conn, (uint32_t)len) && all);
    return total;
}

/* Until the port finds the socket at rest. */
static void settle(void) {
    while (ctx.sockets[DRIVER_SOCKET].hot) {
        port->step(&ctx);
    }
}

static void send(uint8_t *bytes, uint16_t len) {
    port->step(&ctx);
    require(port->tx(conn, bytes, len, 0) == len);
}

const struct driver driver_ours = {.name = "port w5500",
                                   .start = start,
                                   .listen = listen,
                                   .accept = accept,
                                   .open_udp = open_udp,
                                   .receive = receive,
                                   .receive_udp = receive_udp,
                                   .settle = settle,
                                   .send = send};

/* SPDX-License-Identifier: BSD-3-Clause */
/* slot.h - the pool, and nd_port's calls by file. */
#ifndef ND_W5500_SLOT_H
#define ND_W5500_SLOT_H

#include "chip_socket.h"

static inline struct nd_w5500_slot *nd__w5500_slot(struct nd_conn *conn) {
    return (struct nd_w5500_slot *)(void *)conn;
}

static inline struct nd_conn *nd__w5500_handle(struct nd_w5500_slot *slot) {
    return (struct nd_conn *)(void *)slot;
}

/* Take a free slot for this kind; NULL when there is none. */
struct nd_w5500_slot *nd__w5500_take_slot(struct nd_w5500 *port, uint8_t kind);

/* An address that this chip can have or reach: IPv4, or any. */
bool nd__w5500_is_own(const struct nd_w5500 *port, const struct nd_addr *at);

/* The error becomes the connection's, with the chip's registers as its cause. The first one stays.
 */
void nd__w5500_fail(struct nd_w5500_slot *slot, int result);

/* Bytes that wait in the slot's stage. */
static inline uint16_t nd__w5500_staged(const struct nd_w5500_slot *slot) {
    return (uint16_t)(slot->stage_end - slot->stage_first);
}

/* ---- open.c ---- */
int nd__w5500_listen(void *ctx, const struct nd_addr *at, struct nd_conn **listener);
int nd__w5500_accept(struct nd_conn *listener, struct nd_conn **conn);
int nd__w5500_connect(void *ctx, const struct nd_addr *to, struct nd_conn **conn);
void nd__w5500_listener_close(struct nd_w5500_slot *listener);

/* A listener without a listening socket gets one if there is any. */
void nd__w5500_rearm(struct nd_w5500_slot *listener);

/* A listening socket was looked at. */
void nd__w5500_listened(struct nd_w5500 *port, struct nd_w5500_socket *socket);

/* Whether somebody waits to be accepted. */
bool nd__w5500_caller_waits(const struct nd_w5500 *port);

/* ---- tcp.c ---- */
int nd__w5500_status(struct nd_conn *conn);
int32_t nd__w5500_tx(struct nd_conn *conn, const void *bytes, uint32_t len, unsigned flags);
int32_t nd__w5500_rx(struct nd_conn *conn, const void **bytes);
int nd__w5500_end(struct nd_conn *conn);
void nd__w5500_tcp_close(struct nd_w5500_slot *slot);

/* A connection was looked at. */
void nd__w5500_carried(struct nd_w5500_socket *socket);

/* ---- udp.c ---- */
int nd__w5500_udp_open(void *ctx, const struct nd_addr *at, struct nd_conn **socket);
int32_t nd__w5500_udp_tx(struct nd_conn *socket, const struct nd_addr *to, const void *bytes,
                         uint32_t len, unsigned flags);
int32_t nd__w5500_udp_rx(struct nd_conn *socket, struct nd_addr *from, const void **bytes);
void nd__w5500_udp_rx_done(struct nd_w5500_slot *slot);
void nd__w5500_udp_close(struct nd_w5500_slot *slot);

/* A datagram socket was looked at. */
void nd__w5500_datagrams_looked(struct nd_w5500 *port, struct nd_w5500_socket *socket);

/* Whether this socket has a datagram, or a part of one. */
bool nd__w5500_datagram_waits(const struct nd_w5500_slot *slot);

#endif

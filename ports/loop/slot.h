/* SPDX-License-Identifier: BSD-3-Clause */
/* slot.h - what the files of the loop port share. */
#ifndef ND_LOOP_SLOT_H
#define ND_LOOP_SLOT_H

#include "loop.h"

enum slot_state {
    SLOT_FREE, /* zero, so that a cleared slot is free */
    SLOT_LISTENING,
    SLOT_CONNECTING, /* waits in the queue of its listener, `peer` */
    SLOT_OPEN,       /* established; also when the other end is gone or an error ended it */
    SLOT_UDP
};

/* The port's view of a connection: struct nd_conn is nothing but a slot. */
static inline struct nd_loop_slot *nd__slot_of(struct nd_conn *conn) {
    return (struct nd_loop_slot *)(void *)conn;
}

static inline struct nd_conn *nd__slot_conn(struct nd_loop_slot *slot) {
    return (struct nd_conn *)(void *)slot;
}

/* A cleared slot in this state; NULL when none is free. */
struct nd_loop_slot *nd__slot_take(struct nd_loop *loop, enum slot_state state);

/* The slot that listens (SLOT_LISTENING) or receives (SLOT_UDP) at this port number, or NULL. */
struct nd_loop_slot *nd__slot_find(struct nd_loop *loop, enum slot_state state, uint16_t port);

/* Open a slot of this kind at `at`; port 0 is replaced by one that is free. */
int nd__slot_bind(struct nd_loop *loop, enum slot_state state, const struct nd_addr *at,
                  struct nd_conn **conn);

/* A port number that no slot has. */
uint16_t nd__slot_free_port(struct nd_loop *loop);

/* The datagram half of the port, in datagram.c. */
int nd__loop_udp_open(void *ctx, const struct nd_addr *at, struct nd_conn **socket);
int32_t nd__loop_udp_tx(struct nd_conn *socket, const struct nd_addr *to, const void *bytes,
                        uint32_t len, unsigned flags);
int32_t nd__loop_udp_rx(struct nd_conn *socket, struct nd_addr *from, const void **bytes);

/* The oldest datagram was consumed. */
void nd__loop_udp_done(struct nd_loop_slot *slot);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* datagram.c - the loop port's datagram sockets: a ring of cells, one datagram each. */
#include <string.h>

#include "slot.h"

/* What stands before the bytes in a cell. Copied in and out: a ring has no alignment. */
struct cell_head {
    struct nd_addr from;
    uint32_t len;
};

_Static_assert(sizeof(struct cell_head) == ND_LOOP_CELL_BYTES - ND_LOOP_DATAGRAM_BYTES,
               "a cell is a head and a datagram");

static uint32_t cell_count(const struct nd_loop *loop) {
    return loop->ring_bytes / ND_LOOP_CELL_BYTES;
}

/* The cell n places behind the oldest. */
static uint8_t *cell_at(const struct nd_loop_slot *slot, uint32_t n) {
    return slot->ring + (slot->read + n) % cell_count(slot->loop) * ND_LOOP_CELL_BYTES;
}

int nd__loop_udp_open(void *ctx, const struct nd_addr *at, struct nd_conn **socket) {
    struct nd_loop *loop = ctx;
    if (cell_count(loop) == 0) {
        return ND_E_MEMORY;
    }
    return nd__slot_bind(loop, SLOT_UDP, at, socket);
}

/* A socket open at any address sends from the one it sends to: there is only one machine. */
static struct nd_addr sender(const struct nd_loop_slot *slot, const struct nd_addr *to) {
    struct nd_addr from = slot->local.family == 0 ? *to : slot->local;
    from.port = slot->local.port;
    return from;
}

int32_t nd__loop_udp_tx(struct nd_conn *socket, const struct nd_addr *to, const void *bytes,
                        uint32_t len, unsigned flags) {
    (void)flags;
    struct nd_loop_slot *slot = nd__slot_of(socket);
    if (len == 0 || len > ND_LOOP_DATAGRAM_BYTES || to->port == 0) {
        slot->error = ND_E_ARG;
        return ND_E_ARG;
    }
    struct nd_loop_slot *target = nd__slot_find(slot->loop, SLOT_UDP, to->port);
    if (target != NULL && target->count < cell_count(slot->loop)) {
        uint8_t *cell = cell_at(target, target->count);
        struct cell_head head = {.from = sender(slot, to), .len = len};
        memcpy(cell, &head, sizeof head);
        memcpy(cell + sizeof head, bytes, len);
        target->count++;
        slot->loop->event = true;
    }
    return (int32_t)len;
}

int32_t nd__loop_udp_rx(struct nd_conn *socket, struct nd_addr *from, const void **bytes) {
    struct nd_loop_slot *slot = nd__slot_of(socket);
    if (slot->count == 0) {
        return ND_AGAIN;
    }
    const uint8_t *cell = cell_at(slot, 0);
    struct cell_head head;
    memcpy(&head, cell, sizeof head);
    *from = head.from;
    *bytes = cell + sizeof head;
    return (int32_t)head.len;
}

void nd__loop_udp_done(struct nd_loop_slot *slot) {
    slot->read = (slot->read + 1u) % cell_count(slot->loop);
    slot->count--;
    slot->loop->event = true;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* udp.c - datagrams. The chip puts 8 bytes in front of each: address, port, length. All that waits
 * is taken in one transaction as far as the stage has room, and given back by one command. */
#include "slot.h"

#include <stddef.h>
#include <string.h>

#define HEADER_BYTES 8u

/* More does not fit in a frame, and the chip does not fragment [byte]. */
#define DATAGRAM_BYTES 1472u

int nd__w5500_udp_open(void *ctx, const struct nd_addr *at, struct nd_conn **conn) {
    struct nd_w5500 *port = ctx;
    struct nd_w5500_slot *slot;
    struct nd_w5500_socket *socket;

    if (!nd__w5500_is_own(port, at)) {
        return ND_E_ARG;
    }
    for (uint32_t i = 0; at->port != 0 && i < port->slot_count; i++) {
        if (port->slots[i].kind == ND__W5500_SOCKET && port->slots[i].local_port == at->port) {
            return ND_E_IN_USE;
        }
    }
    slot = nd__w5500_take_slot(port, ND__W5500_SOCKET);
    socket = slot != NULL ? nd__w5500_take_socket(port, true) : NULL;
    if (socket == NULL) {
        if (slot != NULL) {
            slot->kind = ND__W5500_NO_KIND;
        }
        return ND_E_FULL;
    }
    slot->local_port = at->port != 0 ? at->port : nd__w5500_choose_port(port);
    if (!nd__w5500_open(port, socket, ND__W5500_UDP, slot->local_port)) {
        slot->kind = ND__W5500_NO_KIND;
        return ND_E_STACK;
    }
    socket->use = ND__W5500_DATAGRAMS;
    socket->slot = slot;
    slot->socket = socket;
    slot->status = ND_OK;
    *conn = nd__w5500_handle(slot);
    return ND_OK;
}

void nd__w5500_udp_close(struct nd_w5500_slot *slot) {
    nd__w5500_abort(slot->port, slot->socket);
}

/* ---- sending ---- */

int32_t nd__w5500_udp_tx(struct nd_conn *conn, const struct nd_addr *to, const void *bytes,
                         uint32_t len, unsigned flags) {
    struct nd_w5500_slot *slot = nd__w5500_slot(conn);
    struct nd_w5500_socket *socket = slot->socket;
    const uint32_t buffer = (uint32_t)slot->port->tx_kib[nd__w5500_number(slot->port, socket)]
                            << 10;

    (void)flags;
    if (to->family != 4 || to->port == 0 || len > DATAGRAM_BYTES || len > buffer) {
        return ND_E_ARG;
    }
    if (socket->sending || socket->tx_write != socket->tx_told || len > socket->tx_room) {
        return ND_AGAIN;
    }
    nd__w5500_set_peer(slot->port, socket, to->ip, to->port);
    nd__w5500_store(slot->port, socket, bytes, (uint16_t)len);
    nd__w5500_flush(slot->port, socket);
    return (int32_t)len;
}

/* ---- receiving ---- */

static uint16_t payload_length(const uint8_t *header) {
    return (uint16_t)(header[6] << 8 | header[7]);
}

/* The header of the oldest datagram when all of it is in the stage; NULL otherwise. */
static const uint8_t *whole_datagram(const struct nd_w5500_slot *slot) {
    const uint8_t *header = slot->stage + slot->stage_first;
    const uint16_t there = nd__w5500_staged(slot);

    if (there < HEADER_BYTES || there < HEADER_BYTES + payload_length(header)) {
        return NULL;
    }
    return header;
}

bool nd__w5500_datagram_waits(const struct nd_w5500_slot *slot) {
    return slot->socket->rx_there > 0 || whole_datagram(slot) != NULL;
}

/* More of what waits, behind the part of a datagram that is there already. */
static void refill(struct nd_w5500_slot *slot) {
    const uint16_t part = nd__w5500_staged(slot);

    memmove(slot->stage, slot->stage + slot->stage_first, part);
    slot->stage_first = 0;
    slot->stage_end = part;
    slot->stage_end =
        (uint16_t)(part + nd__w5500_fetch(slot->port, slot->socket, slot->stage + part,
                                          (uint32_t)slot->port->stage_bytes - part));
}

/* Only a disturbed bus brings such a header. Where the next one is nobody knows: begin anew. */
static bool is_garbled(const struct nd_w5500_slot *slot) {
    return nd__w5500_staged(slot) >= HEADER_BYTES &&
           payload_length(slot->stage + slot->stage_first) > DATAGRAM_BYTES;
}

static void begin_anew(struct nd_w5500_slot *slot) {
    struct nd_w5500_socket *socket = slot->socket;

    slot->port->counts.garbled++;
    slot->stage_first = slot->stage_end = 0;
    nd__w5500_open(slot->port, socket, ND__W5500_UDP, slot->local_port);
    socket->use = ND__W5500_DATAGRAMS;
    socket->slot = slot;
    socket->hot = true;
}

void nd__w5500_udp_rx_done(struct nd_w5500_slot *slot) {
    slot->port->counts.datagrams++;
    slot->stage_first = (uint16_t)(slot->stage_first + HEADER_BYTES +
                                   payload_length(slot->stage + slot->stage_first));
}

int32_t nd__w5500_udp_rx(struct nd_conn *conn, struct nd_addr *from, const void **bytes) {
    struct nd_w5500_slot *slot = nd__w5500_slot(conn);
    const uint8_t *header = whole_datagram(slot);

    if (header == NULL && slot->socket->rx_there > 0) {
        refill(slot);
        header = whole_datagram(slot);
    }
    while (header != NULL && payload_length(header) == 0) {
        nd__w5500_udp_rx_done(slot); /* empty ones are no answer */
        header = whole_datagram(slot);
    }
    if (header == NULL) {
        if (is_garbled(slot)) {
            begin_anew(slot);
        }
        return ND_AGAIN;
    }
    *from = (struct nd_addr){.family = 4, .port = (uint16_t)(header[4] << 8 | header[5])};
    memcpy(from->ip, header, 4);
    *bytes = header + HEADER_BYTES;
    return payload_length(header);
}

void nd__w5500_datagrams_looked(struct nd_w5500 *port, struct nd_w5500_socket *socket) {
    if ((socket->flags & ND__W5500_TIMED_OUT) != 0) {
        port->counts.unreachable++;
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp.c - connections, from the moment that a socket of the chip carries them. */
#include "slot.h"

#include <stddef.h>

/* Why the chip closed it. Both FINs have passed: in order. Before it stood, an RST refused it. */
static int reason_of_end(const struct nd_w5500_slot *slot) {
    const struct nd_w5500_socket *socket = slot->socket;

    if ((socket->seen & ND__W5500_TIMED_OUT) != 0) {
        return ND_E_TIMEOUT;
    }
    if (socket->fin_sent && socket->fin_seen) {
        return ND_OK;
    }
    return slot->status == ND_AGAIN ? ND_E_REFUSED : ND_E_RESET;
}

void nd__w5500_carried(struct nd_w5500_socket *socket) {
    struct nd_w5500_slot *slot = socket->slot;

    if (slot->status < ND_AGAIN) {
        return;
    }
    if (socket->gone) {
        int result = reason_of_end(slot);

        if (result != ND_OK) {
            nd__w5500_fail(slot, result);
        }
    } else if (socket->state >= ND__W5500_IS_ESTABLISHED) {
        slot->status = ND_OK;
    }
}

int nd__w5500_status(struct nd_conn *conn) {
    return nd__w5500_slot(conn)->status;
}

int32_t nd__w5500_tx(struct nd_conn *conn, const void *bytes, uint32_t len, unsigned flags) {
    struct nd_w5500_slot *slot = nd__w5500_slot(conn);
    struct nd_w5500_socket *socket = slot->socket;
    uint16_t piece;

    if (slot->status != ND_OK) {
        return slot->status;
    }
    if (socket->ended) {
        return ND_E_STATE;
    }
    piece = len < socket->tx_room ? (uint16_t)len : socket->tx_room;
    if (piece > 0) {
        nd__w5500_store(slot->port, socket, bytes, piece);
    }
    if (piece == 0 || (flags & ND_TX_MORE) == 0) {
        nd__w5500_flush(slot->port, socket);
    }
    return piece > 0 ? piece : ND_AGAIN;
}

int32_t nd__w5500_rx(struct nd_conn *conn, const void **bytes) {
    struct nd_w5500_slot *slot = nd__w5500_slot(conn);
    struct nd_w5500_socket *socket = slot->socket;

    if (nd__w5500_staged(slot) == 0) {
        slot->stage_first = 0;
        slot->stage_end = nd__w5500_fetch(slot->port, socket, slot->stage, slot->port->stage_bytes);
    }
    if (nd__w5500_staged(slot) > 0) {
        *bytes = slot->stage + slot->stage_first;
        return nd__w5500_staged(slot);
    }
    if (slot->status != ND_OK) {
        return slot->status;
    }
    return socket->fin_seen ? ND_EOF : ND_AGAIN;
}

int nd__w5500_end(struct nd_conn *conn) {
    struct nd_w5500_slot *slot = nd__w5500_slot(conn);
    struct nd_w5500_socket *socket = slot->socket;

    if (slot->status != ND_OK) {
        return slot->status == ND_AGAIN ? ND_E_STATE : slot->status;
    }
    if (!socket->ended) {
        socket->ended = true;
        socket->hot = true;
        nd__w5500_flush(slot->port, socket);
    }
    return socket->fin_sent ? ND_OK : ND_AGAIN;
}

void nd__w5500_tcp_close(struct nd_w5500_slot *slot) {
    struct nd_w5500_socket *socket = slot->socket;
    const bool all_read = nd__w5500_staged(slot) == 0 && socket->rx_there == 0;
    const bool quiet = slot->status == ND_OK && socket->ended && (all_read || socket->fin_seen);

    if (!quiet || socket->gone) {
        nd__w5500_abort(slot->port, socket);
        return;
    }
    socket->use = ND__W5500_LINGERS;
    socket->slot = NULL;
    socket->order = slot->port->order++;
    socket->hot = true;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* loop.c - connections between two slots of one pool. */
#include "loop.h"

#include <string.h>

#include "nd/memory.h"
#include "slot.h"

static const char *loop_version(void *ctx) {
    (void)ctx;
    return "loop 1";
}

static unsigned loop_step(void *ctx) {
    struct nd_loop *loop = ctx;
    unsigned step = 0;
    loop->event = false;
    for (uint32_t i = 0; i < loop->slot_count; i++) {
        if (loop->slots[i].state == SLOT_LISTENING && loop->slots[i].waiting > 0) {
            step |= ND_STEP_ACCEPT;
        }
        if (loop->slots[i].state == SLOT_UDP && loop->slots[i].count > 0) {
            step |= ND_STEP_DATAGRAM;
        }
    }
    return step;
}

/* ---- opening ------------------------------------------------------------------------ */

static int loop_listen(void *ctx, const struct nd_addr *at, struct nd_conn **listener) {
    return nd__slot_bind(ctx, SLOT_LISTENING, at, listener);
}

static void queue_append(struct nd_loop_slot *listener, struct nd_loop_slot *slot) {
    struct nd_loop_slot **link = &listener->wait;
    while (*link != NULL) {
        link = &(*link)->next;
    }
    *link = slot;
    slot->peer = listener;
    listener->waiting++;
}

static void queue_remove(struct nd_loop_slot *listener, struct nd_loop_slot *slot) {
    struct nd_loop_slot **link = &listener->wait;
    while (*link != slot) {
        link = &(*link)->next;
    }
    *link = slot->next;
    slot->next = NULL;
    slot->peer = NULL;
    listener->waiting--;
}

/* End this side by an error: nothing of what it received can be read any more. */
static void fail(struct nd_loop_slot *slot, int error) {
    slot->state = SLOT_OPEN;
    slot->peer = NULL;
    slot->count = 0;
    slot->error = error;
    slot->loop->event = true;
}

static int loop_connect(void *ctx, const struct nd_addr *to, struct nd_conn **conn) {
    struct nd_loop *loop = ctx;
    if (to->port == 0) {
        return ND_E_ARG;
    }
    struct nd_loop_slot *slot = nd__slot_take(loop, SLOT_CONNECTING);
    if (slot == NULL) {
        return ND_E_FULL;
    }
    slot->remote = *to;
    slot->local = *to;
    slot->local.port = nd__slot_free_port(loop);
    struct nd_loop_slot *listener = nd__slot_find(loop, SLOT_LISTENING, to->port);
    if (listener == NULL || listener->waiting == ND_LOOP_BACKLOG) {
        fail(slot, ND_E_REFUSED);
    } else {
        queue_append(listener, slot);
        loop->event = true;
    }
    *conn = nd__slot_conn(slot);
    return ND_OK;
}

static int loop_accept(struct nd_conn *conn, struct nd_conn **accepted) {
    struct nd_loop_slot *listener = nd__slot_of(conn);
    struct nd_loop_slot *caller = listener->wait;
    if (caller == NULL) {
        return ND_AGAIN;
    }
    queue_remove(listener, caller);
    struct nd_loop_slot *slot = nd__slot_take(listener->loop, SLOT_OPEN);
    if (slot == NULL) {
        fail(caller, ND_E_RESET);
        return ND_E_FULL;
    }
    slot->local = caller->remote;
    slot->remote = caller->local;
    slot->peer = caller;
    caller->peer = slot;
    caller->state = SLOT_OPEN;
    if (caller->ended) {
        slot->fin = true;
    }
    listener->loop->event = true;
    *accepted = nd__slot_conn(slot);
    return ND_OK;
}

/* ---- moving bytes ------------------------------------------------------------------- */

static int loop_status(struct nd_conn *conn) {
    struct nd_loop_slot *slot = nd__slot_of(conn);
    return slot->state == SLOT_CONNECTING ? ND_AGAIN : slot->error;
}

/* Append len bytes, which fit, to a ring; in two pieces where it wraps. */
static void ring_put(struct nd_loop_slot *slot, const uint8_t *bytes, uint32_t len) {
    uint32_t size = slot->loop->ring_bytes;
    uint32_t to_end = size - slot->read;
    uint32_t write = slot->count < to_end ? slot->read + slot->count : slot->count - to_end;
    uint32_t first = size - write < len ? size - write : len;
    memcpy(slot->ring + write, bytes, first);
    memcpy(slot->ring, bytes + first, len - first);
    slot->count += len;
}

static int32_t loop_tx(struct nd_conn *conn, const void *bytes, uint32_t len, unsigned flags) {
    (void)flags;
    struct nd_loop_slot *slot = nd__slot_of(conn);
    if (slot->error != ND_OK) {
        return slot->error;
    }
    if (slot->ended) {
        return ND_E_STATE;
    }
    if (slot->state == SLOT_CONNECTING) {
        return ND_AGAIN;
    }
    if (slot->peer == NULL) { /* ended in order and gone: bytes for it are answered by a reset */
        fail(slot, ND_E_RESET);
        return ND_E_RESET;
    }
    uint32_t room = slot->loop->ring_bytes - slot->peer->count;
    if (room == 0) {
        return ND_AGAIN;
    }
    uint32_t taken = len < room ? len : room;
    ring_put(slot->peer, bytes, taken);
    slot->loop->event = true;
    return (int32_t)taken;
}

static int32_t loop_rx(struct nd_conn *conn, const void **bytes) {
    struct nd_loop_slot *slot = nd__slot_of(conn);
    if (slot->count > 0) {
        uint32_t to_end = slot->loop->ring_bytes - slot->read;
        *bytes = slot->ring + slot->read;
        return (int32_t)(slot->count < to_end ? slot->count : to_end);
    }
    if (slot->error != ND_OK && !slot->eof_told) {
        return slot->error;
    }
    slot->eof_told = slot->fin;
    return slot->fin ? ND_EOF : ND_AGAIN;
}

static bool loop_rx_done(struct nd_conn *conn, uint32_t len) {
    struct nd_loop_slot *slot = nd__slot_of(conn);
    if (len == 0) {
        return true;
    }
    if (slot->state == SLOT_UDP) {
        nd__loop_udp_done(slot);
        return slot->count > 0;
    }
    if (slot->error != ND_OK) { /* what was borrowed went with the connection */
        return true;
    }
    uint32_t to_end = slot->loop->ring_bytes - slot->read;
    slot->read = len < to_end ? slot->read + len : len - to_end;
    slot->count -= len;
    slot->loop->event = true;
    return slot->count > 0 || slot->fin;
}

/* ---- ending ------------------------------------------------------------------------- */

static int loop_end(struct nd_conn *conn) {
    struct nd_loop_slot *slot = nd__slot_of(conn);
    if (slot->error != ND_OK) {
        return slot->error;
    }
    if (!slot->ended) {
        slot->ended = true;
        slot->loop->event = true;
        if (slot->state == SLOT_OPEN && slot->peer != NULL) {
            slot->peer->fin = true;
        }
    }
    if (slot->state == SLOT_CONNECTING) {
        return ND_AGAIN;
    }
    return slot->peer != NULL && slot->peer->count > 0 ? ND_AGAIN : ND_OK;
}

static void close_listener(struct nd_loop_slot *listener) {
    while (listener->wait != NULL) {
        struct nd_loop_slot *caller = listener->wait;
        queue_remove(listener, caller);
        fail(caller, ND_E_REFUSED);
    }
}

static void leave_peer(struct nd_loop_slot *slot) {
    bool quiet = slot->ended && (slot->fin || slot->count == 0);
    if (quiet) {
        slot->peer->peer = NULL;
    } else {
        fail(slot->peer, ND_E_RESET);
    }
}

static void loop_close(struct nd_conn *conn) {
    struct nd_loop_slot *slot = nd__slot_of(conn);
    if (slot->state == SLOT_LISTENING) {
        close_listener(slot);
    } else if (slot->state == SLOT_CONNECTING) {
        queue_remove(slot->peer, slot);
    } else if (slot->peer != NULL) {
        leave_peer(slot);
    }
    slot->state = SLOT_FREE;
    slot->loop->event = true;
}

/* ---- asking ------------------------------------------------------------------------- */

static void loop_info(struct nd_conn *conn, struct nd_conn_info *info) {
    struct nd_loop_slot *slot = nd__slot_of(conn);
    *info = (struct nd_conn_info){.local = slot->local,
                                  .peer = slot->remote,
                                  .mss_bytes = ND_NOT_SUPPORTED,
                                  .unacked_bytes = ND_NOT_SUPPORTED};
    if (slot->state == SLOT_OPEN && slot->error == ND_OK) {
        info->unacked_bytes = slot->peer == NULL ? 0 : slot->peer->count;
    }
}

/* There is no stack below, so a result is its own raw code. */
static int32_t loop_cause(struct nd_conn *conn) {
    return nd__slot_of(conn)->error;
}

const struct nd_port nd_port_loop = {
    .abi = ND_PORT_ABI,
    .can = ND_PORT_TCP | ND_PORT_UDP | ND_PORT_IPV6,
    .name = "loop",
    .version = loop_version,
    .step = loop_step,
    .listen = loop_listen,
    .accept = loop_accept,
    .connect = loop_connect,
    .status = loop_status,
    .tx = loop_tx,
    .rx = loop_rx,
    .rx_done = loop_rx_done,
    .end = loop_end,
    .udp_open = nd__loop_udp_open,
    .udp_tx = nd__loop_udp_tx,
    .udp_rx = nd__loop_udp_rx,
    .close = loop_close,
    .info = loop_info,
    .cause = loop_cause,
};

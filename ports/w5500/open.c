/* SPDX-License-Identifier: BSD-3-Clause */
/* open.c - how connections come to be. A socket of the chip that listens becomes the connection, so
 * that a listener is served by one socket after another. */
#include "slot.h"

#include <stddef.h>

static bool listens_at(const struct nd_w5500 *port, uint16_t number) {
    for (uint32_t i = 0; i < port->slot_count; i++) {
        if (port->slots[i].kind == ND__W5500_LISTENER && port->slots[i].local_port == number) {
            return true;
        }
    }
    return false;
}

/* Let this socket listen for the listener. */
static bool arm(struct nd_w5500_slot *listener, struct nd_w5500_socket *socket) {
    struct nd_w5500 *port = listener->port;

    if (!nd__w5500_open(port, socket, ND__W5500_TCP, listener->local_port) ||
        !nd__w5500_command(port, socket, ND__W5500_LISTEN)) {
        return false;
    }
    socket->use = ND__W5500_LISTENS;
    socket->slot = listener;
    listener->socket = socket;
    return true;
}

void nd__w5500_rearm(struct nd_w5500_slot *listener) {
    struct nd_w5500_socket *socket;

    if (listener->socket == NULL) {
        socket = nd__w5500_take_socket(listener->port, false);
        if (socket != NULL) {
            arm(listener, socket);
        }
    }
}

int nd__w5500_listen(void *ctx, const struct nd_addr *at, struct nd_conn **listener) {
    struct nd_w5500 *port = ctx;
    struct nd_w5500_slot *slot;
    struct nd_w5500_socket *socket;

    if (!nd__w5500_is_own(port, at)) {
        return ND_E_ARG;
    }
    if (at->port != 0 && listens_at(port, at->port)) {
        return ND_E_IN_USE;
    }
    slot = nd__w5500_take_slot(port, ND__W5500_LISTENER);
    if (slot == NULL) {
        return ND_E_FULL;
    }
    socket = nd__w5500_take_socket(port, false);
    slot->local_port = at->port != 0 ? at->port : nd__w5500_choose_port(port);
    if (socket == NULL || !arm(slot, socket)) {
        slot->kind = ND__W5500_NO_KIND;
        return socket == NULL ? ND_E_FULL : ND_E_STACK;
    }
    *listener = nd__w5500_handle(slot);
    return ND_OK;
}

/* ---- callers ---- */

void nd__w5500_listened(struct nd_w5500 *port, struct nd_w5500_socket *socket) {
    struct nd_w5500_slot *listener = socket->slot;

    if (socket->state == ND__W5500_IS_LISTEN || socket->state == ND__W5500_IS_SYNRECV ||
        socket->state == ND__W5500_IS_INIT) {
        return;
    }
    listener->socket = NULL;
    if (socket->gone) { /* a caller that did not finish its handshake */
        socket->use = ND__W5500_FREE;
    } else {
        socket->use = ND__W5500_WAITS;
        socket->order = port->order++;
    }
    nd__w5500_rearm(listener);
}

/* The oldest caller of this listener, or of any; NULL = nobody waits. */
static struct nd_w5500_socket *oldest_caller(struct nd_w5500 *port,
                                             const struct nd_w5500_slot *listener) {
    struct nd_w5500_socket *oldest = NULL;

    for (unsigned i = 0; i < ND_W5500_SOCKETS; i++) {
        struct nd_w5500_socket *socket = &port->sockets[i];

        if (socket->use == ND__W5500_WAITS && socket->slot == listener &&
            (oldest == NULL || (int32_t)(socket->order - oldest->order) < 0)) {
            oldest = socket;
        }
    }
    return oldest;
}

bool nd__w5500_caller_waits(const struct nd_w5500 *port) {
    for (unsigned i = 0; i < ND_W5500_SOCKETS; i++) {
        if (port->sockets[i].use == ND__W5500_WAITS) {
            return true;
        }
    }
    return false;
}

int nd__w5500_accept(struct nd_conn *handle, struct nd_conn **conn) {
    struct nd_w5500_slot *listener = nd__w5500_slot(handle);
    struct nd_w5500 *port = listener->port;
    struct nd_w5500_socket *socket = oldest_caller(port, listener);
    struct nd_w5500_slot *slot;

    if (socket == NULL) {
        return ND_AGAIN;
    }
    slot = nd__w5500_take_slot(port, ND__W5500_CONNECTION);
    if (slot == NULL) {
        port->counts.turned_away++;
        nd__w5500_abort(port, socket);
        nd__w5500_rearm(listener);
        return ND_E_FULL;
    }
    slot->socket = socket;
    slot->local_port = listener->local_port;
    slot->status = ND_OK;
    socket->slot = slot;
    socket->use = ND__W5500_CARRIES;
    nd__w5500_carried(socket);
    *conn = nd__w5500_handle(slot);
    return ND_OK;
}

void nd__w5500_listener_close(struct nd_w5500_slot *listener) {
    for (unsigned i = 0; i < ND_W5500_SOCKETS; i++) {
        struct nd_w5500_socket *socket = &listener->port->sockets[i];

        if (socket->slot == listener) {
            /* A caller may have come since it was looked at. */
            nd__w5500_look(listener->port, socket);
            nd__w5500_abort(listener->port, socket);
        }
    }
}

/* ---- calling ---- */

int nd__w5500_connect(void *ctx, const struct nd_addr *to, struct nd_conn **conn) {
    struct nd_w5500 *port = ctx;
    struct nd_w5500_slot *slot;
    struct nd_w5500_socket *socket;

    if (to->family != 4 || to->port == 0) {
        return ND_E_ARG;
    }
    slot = nd__w5500_take_slot(port, ND__W5500_CONNECTION);
    socket = slot != NULL ? nd__w5500_take_socket(port, false) : NULL;
    if (socket == NULL) {
        if (slot != NULL) {
            slot->kind = ND__W5500_NO_KIND;
        }
        return ND_E_FULL;
    }
    slot->local_port = nd__w5500_choose_port(port);
    if (!nd__w5500_open(port, socket, ND__W5500_TCP, slot->local_port)) {
        slot->kind = ND__W5500_NO_KIND;
        return ND_E_STACK;
    }
    nd__w5500_set_peer(port, socket, to->ip, to->port);
    nd__w5500_command(port, socket, ND__W5500_CONNECT);
    socket->state = ND__W5500_IS_SYNSENT;
    socket->use = ND__W5500_CARRIES;
    socket->slot = slot;
    slot->socket = socket;
    slot->status = ND_AGAIN;
    *conn = nd__w5500_handle(slot);
    return ND_OK;
}

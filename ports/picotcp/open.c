/* SPDX-License-Identifier: BSD-3-Clause */
/* open.c - how connections come to be: by listening and accepting, and by calling.
 *
 * A caller takes its slot as soon as its connection stands, not when the engine accepts it:
 * picoTCP hands out established connections only, and one whose peer has ended is none any more. */
#include "open.h"

#include "pico_tcp.h"

#include "tcp.h"

/* One more, or fewer, answers of accept() are ready: step() says so as long as there are any. */
static void count_waiting(struct nd_picotcp *port, int32_t change) {
    port->waiting += (uint32_t)change;
}

static void enqueue(struct nd_picotcp_conn *listener, struct nd_picotcp_conn *conn) {
    if (listener->waiting_first == NULL) {
        listener->waiting_first = conn;
    } else {
        listener->waiting_last->waiting_next = conn;
    }
    listener->waiting_last = conn;
}

static struct nd_picotcp_conn *dequeue(struct nd_picotcp_conn *listener) {
    struct nd_picotcp_conn *conn = listener->waiting_first;

    if (conn != NULL) {
        listener->waiting_first = conn->waiting_next;
    }
    return conn;
}

void nd__picotcp_caller(struct nd_picotcp_conn *listener) {
    struct nd_picotcp *port = listener->port;
    struct nd_picotcp_conn *conn;
    struct pico_socket *socket;
    struct pico_ip4 ip;
    uint16_t number;

    socket = pico_socket_accept(listener->socket, &ip, &number);
    if (socket == NULL) {
        return;
    }
    count_waiting(port, 1);
    conn = nd__picotcp_take(port, ND__PICOTCP_TCP);
    if (conn == NULL) {
        port->turned_away++;
        listener->away++;
        nd__picotcp_abort(socket);
        return;
    }
    conn->peer = nd__picotcp_addr(&ip, number);
    conn->local = nd__picotcp_addr(&socket->local_addr.ip4, socket->local_port);
    nd__picotcp_attach(conn, socket);
    nd__picotcp_established(conn);
    enqueue(listener, conn);
}

/* ---- listening ----------------------------------------------------------------------- */

static bool somebody_listens(uint16_t number) {
    struct pico_sockport *at = pico_get_sockport(PICO_PROTO_TCP, short_be(number));
    struct pico_tree_node *node;

    if (at == NULL) {
        return false;
    }
    pico_tree_foreach(node, &at->socks) {
        const struct pico_socket *socket = node->keyValue;

        if (TCPSTATE(socket) == PICO_SOCKET_STATE_TCP_LISTEN) {
            return true;
        }
    }
    return false;
}

/* pico_socket_bind() would refuse a number at which old connections are still dying. */
static int start_listening(struct nd_picotcp_conn *conn, const struct pico_ip4 *ip,
                           uint16_t number) {
    struct pico_socket *socket =
        pico_socket_open(PICO_PROTO_IPV4, PICO_PROTO_TCP, nd__picotcp_tcp_event);

    if (socket == NULL) {
        return ND_E_MEMORY;
    }
    conn->socket = socket;
    socket->priv = conn;
    socket->local_addr.ip4 = *ip;
    socket->local_port = short_be(number);
    if (pico_socket_add(socket) != 0 ||
        pico_socket_listen(socket, (int)conn->port->conn_count) != 0) {
        int result = nd__picotcp_failed(conn);

        nd__picotcp_detach(conn);
        pico_socket_close(socket);
        return result;
    }
    conn->local = nd__picotcp_addr(ip, socket->local_port);
    return ND_OK;
}

int nd__picotcp_listen(void *ctx, const struct nd_addr *at, struct nd_conn **listener) {
    struct nd_picotcp *port = ctx;
    struct nd_picotcp_conn *conn;
    struct pico_ip4 ip;
    int result;

    if (!nd__picotcp_ip(at, &ip) ||
        (at->family == 4 && ip.addr != PICO_IP4_ANY && pico_ipv4_link_find(&ip) == NULL)) {
        return ND_E_ARG;
    }
    if (at->port != 0 && somebody_listens(at->port)) {
        return ND_E_IN_USE;
    }
    conn = nd__picotcp_take(port, ND__PICOTCP_LISTENER);
    if (conn == NULL) {
        return ND_E_FULL;
    }
    result = start_listening(
        conn, &ip, at->port != 0 ? at->port : nd__picotcp_choose_port(port, PICO_PROTO_TCP));
    if (result != ND_OK) {
        nd__picotcp_free(conn);
        return result;
    }
    conn->tx_result = ND_E_STATE;
    *listener = nd__picotcp_handle(conn);
    return ND_OK;
}

int nd__picotcp_accept(struct nd_conn *handle, struct nd_conn **conn) {
    struct nd_picotcp_conn *listener = nd__picotcp_conn(handle);
    struct nd_picotcp_conn *next = dequeue(listener);

    if (next != NULL) {
        count_waiting(listener->port, -1);
        *conn = nd__picotcp_handle(next);
        return ND_OK;
    }
    if (listener->away > 0) {
        count_waiting(listener->port, -1);
        listener->away--;
        return ND_E_FULL;
    }
    return ND_AGAIN;
}

/* Callers in mid-handshake point at the listener, which picoTCP is about to free. */
static void orphan_callers(const struct pico_socket *listener) {
    struct pico_sockport *at = pico_get_sockport(PICO_PROTO_TCP, listener->local_port);
    struct pico_tree_node *node;

    if (at == NULL) {
        return;
    }
    pico_tree_foreach(node, &at->socks) {
        struct pico_socket *socket = node->keyValue;

        if (socket->parent == listener) {
            socket->parent = NULL;
            nd__picotcp_abort(socket);
        }
    }
}

void nd__picotcp_listener_close(struct nd_picotcp_conn *listener) {
    struct pico_socket *socket = listener->socket;
    struct nd_picotcp_conn *conn;

    orphan_callers(socket);
    nd__picotcp_detach(listener);
    pico_socket_close(socket);
    while ((conn = dequeue(listener)) != NULL) {
        count_waiting(listener->port, -1);
        nd__picotcp_tcp_close(conn);
        nd__picotcp_free(conn);
    }
    count_waiting(listener->port, -(int32_t)listener->away);
}

/* ---- calling ------------------------------------------------------------------------- */

int nd__picotcp_connect(void *ctx, const struct nd_addr *to, struct nd_conn **handle) {
    struct nd_picotcp *port = ctx;
    struct nd_picotcp_conn *conn;
    struct pico_socket *socket;
    struct pico_ip4 ip;

    if (to->family == 0 || to->port == 0 || !nd__picotcp_ip(to, &ip)) {
        return ND_E_ARG;
    }
    conn = nd__picotcp_take(port, ND__PICOTCP_TCP);
    if (conn == NULL) {
        return ND_E_FULL;
    }
    socket = pico_socket_open(PICO_PROTO_IPV4, PICO_PROTO_TCP, nd__picotcp_tcp_event);
    if (socket == NULL) {
        nd__picotcp_free(conn);
        return ND_E_MEMORY;
    }
    nd__picotcp_attach(conn, socket);
    conn->status = ND_AGAIN;
    conn->tx_result = ND_AGAIN;
    conn->peer = *to;
    socket->local_port = short_be(nd__picotcp_choose_port(port, PICO_PROTO_TCP));
    if (pico_socket_connect(socket, &ip, short_be(to->port)) != 0) {
        int result = nd__picotcp_failed(conn);

        nd__picotcp_detach(conn);
        pico_socket_close(socket);
        nd__picotcp_free(conn);
        return result;
    }
    conn->local = nd__picotcp_addr(&socket->local_addr.ip4, socket->local_port);
    port->touched = true;
    *handle = nd__picotcp_handle(conn);
    return ND_OK;
}

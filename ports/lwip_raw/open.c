/* SPDX-License-Identifier: BSD-3-Clause */
/* open.c - how connections come to be: by listening and accepting, and by calling.
 *
 * A caller takes its slot as soon as its connection stands, not when the engine accepts it: its
 * first bytes need a place, and lwIP may report its end at any time. */
#include "open.h"

#include <stddef.h>

#include "lwip/tcp.h"

#include "tcp.h"

/* Give an unused pcb back; its slot is free again. */
static int give_up(struct nd_lwip_raw_conn *conn, struct tcp_pcb *pcb, err_t err) {
    if (pcb != NULL) {
        tcp_abort(pcb);
    }
    conn->kind = ND__LWIP_RAW_FREE;
    return nd__lwip_raw_result(err);
}

/* ---- listening ----------------------------------------------------------------------- */

static void enqueue(struct nd_lwip_raw_conn *listener, struct nd_lwip_raw_conn *conn) {
    if (listener->tcp.waiting_first == NULL) {
        listener->tcp.waiting_first = conn;
    } else {
        listener->tcp.waiting_last->tcp.waiting_next = conn;
    }
    listener->tcp.waiting_last = conn;
}

static struct nd_lwip_raw_conn *dequeue(struct nd_lwip_raw_conn *listener) {
    struct nd_lwip_raw_conn *conn = listener->tcp.waiting_first;

    if (conn != NULL) {
        listener->tcp.waiting_first = conn->tcp.waiting_next;
    }
    return conn;
}

/* One more, or fewer, answers of accept() are ready: step() says so as long as there are any. */
static void count_waiting(struct nd_lwip_raw *port, int32_t change) {
    port->waiting += (uint32_t)change;
    if (port->waiting > 0) {
        port->events |= ND_STEP_ACCEPT;
    } else {
        port->events &= ~ND_STEP_ACCEPT;
    }
}

/* lwIP calls: a caller's handshake is complete. Without a pcb it had no memory for one, and the
 * caller tries again by itself. */
static err_t on_accept(void *arg, struct tcp_pcb *pcb, err_t err) {
    struct nd_lwip_raw_conn *listener = arg;
    struct nd_lwip_raw *port = listener->port;
    struct nd_lwip_raw_conn *conn;

    if (err != ERR_OK || pcb == NULL) {
        return ERR_VAL;
    }
    count_waiting(port, 1);
    conn = nd__lwip_raw_take(port, ND__LWIP_RAW_TCP);
    if (conn == NULL) {
        port->turned_away++;
        listener->tcp.turned_away++;
        tcp_abort(pcb);
        return ERR_ABRT;
    }
    conn->local = (struct nd_lwip_raw_end){.ip = pcb->local_ip, .port = pcb->local_port};
    conn->peer = (struct nd_lwip_raw_end){.ip = pcb->remote_ip, .port = pcb->remote_port};
    nd__lwip_raw_attach(conn, pcb);
    enqueue(listener, conn);
    return ERR_OK;
}

/* A listening pcb at *at; NULL with *err set. */
static struct tcp_pcb *listening_pcb(const struct nd_lwip_raw_end *at, err_t *err) {
    struct tcp_pcb *pcb = tcp_new_ip_type(IP_GET_TYPE(&at->ip));
    struct tcp_pcb *listening = NULL;

    if (pcb == NULL) {
        *err = ERR_MEM;
        return NULL;
    }
    *err = tcp_bind(pcb, &at->ip, at->port);
    if (*err == ERR_OK) {
        listening = tcp_listen_with_backlog_and_err(pcb, TCP_DEFAULT_LISTEN_BACKLOG, err);
    }
    if (listening == NULL) {
        tcp_abort(pcb);
    }
    return listening;
}

int nd__lwip_raw_listen(void *ctx, const struct nd_addr *at, struct nd_conn **listener) {
    struct nd_lwip_raw_end local = {.port = at->port};
    struct nd_lwip_raw_conn *conn;
    err_t err;

    if (!nd__lwip_raw_ip(at, &local.ip)) {
        return ND_E_ARG;
    }
    conn = nd__lwip_raw_take(ctx, ND__LWIP_RAW_LISTENER);
    if (conn == NULL) {
        return ND_E_FULL;
    }
    conn->tcp.pcb = listening_pcb(&local, &err);
    if (conn->tcp.pcb == NULL) {
        return give_up(conn, NULL, err);
    }
    local.port = conn->tcp.pcb->local_port;
    conn->local = local;
    conn->tx_result = ND_E_STATE;
    conn->rx_result = ND_E_STATE;
    tcp_arg(conn->tcp.pcb, conn);
    tcp_accept(conn->tcp.pcb, on_accept);
    *listener = nd__lwip_raw_handle(conn);
    return ND_OK;
}

int nd__lwip_raw_accept(struct nd_conn *handle, struct nd_conn **conn) {
    struct nd_lwip_raw_conn *listener = nd__lwip_raw_conn(handle);
    struct nd_lwip_raw_conn *next = dequeue(listener);

    if (next != NULL) {
        count_waiting(listener->port, -1);
        *conn = nd__lwip_raw_handle(next);
        return ND_OK;
    }
    if (listener->tcp.turned_away > 0) {
        count_waiting(listener->port, -1);
        listener->tcp.turned_away--;
        return ND_E_FULL;
    }
    return ND_AGAIN;
}

void nd__lwip_raw_listener_close(struct nd_lwip_raw_conn *listener) {
    struct nd_lwip_raw_conn *conn;

    tcp_close(listener->tcp.pcb); /* cannot fail for a listener */
    while ((conn = dequeue(listener)) != NULL) {
        count_waiting(listener->port, -1);
        nd__lwip_raw_tcp_close(conn);
    }
    count_waiting(listener->port, -(int32_t)listener->tcp.turned_away);
    listener->kind = ND__LWIP_RAW_FREE;
}

/* ---- calling ------------------------------------------------------------------------- */

int nd__lwip_raw_connect(void *ctx, const struct nd_addr *to, struct nd_conn **handle) {
    struct nd_lwip_raw_end peer = {.port = to->port};
    struct nd_lwip_raw_conn *conn;
    struct tcp_pcb *pcb;
    err_t err;

    if (to->family == 0 || to->port == 0 || !nd__lwip_raw_ip(to, &peer.ip)) {
        return ND_E_ARG;
    }
    conn = nd__lwip_raw_take(ctx, ND__LWIP_RAW_TCP);
    if (conn == NULL) {
        return ND_E_FULL;
    }
    pcb = tcp_new_ip_type(IP_GET_TYPE(&peer.ip));
    if (pcb == NULL) {
        return give_up(conn, NULL, ERR_MEM);
    }
    conn->peer = peer;
    conn->status = ND_AGAIN;
    conn->tx_result = ND_AGAIN;
    nd__lwip_raw_attach(conn, pcb);
    err = nd__lwip_raw_call(conn, &peer);
    if (err != ERR_OK) {
        nd__lwip_raw_forget(pcb);
        return give_up(conn, pcb, err);
    }
    conn->local = (struct nd_lwip_raw_end){.ip = pcb->local_ip, .port = pcb->local_port};
    *handle = nd__lwip_raw_handle(conn);
    return ND_OK;
}

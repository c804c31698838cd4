/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp.c - established connections: picoTCP's events, and sending, receiving and ending.
 *
 * picoTCP's callback has no argument of the user's; the socket's `priv` points at the slot. It has
 * no call that breaks a connection off either. But a socket whose linger time is 0 does not send
 * its FIN and is deleted with an RST by a timer, once it has nothing queued. */
#include "tcp.h"

#include "pico_tcp.h"

#include "open.h"

/* A peer may go on sending for so long after our FIN; then picoTCP resets [ms]. It uses the same
 * time for TIME_WAIT, where it would hold 0.5 KiB of memory for each connection. */
#define LINGER_MS    30000u
#define TIME_WAIT_MS 1000u

/* More than a window ever allows. */
#define SEGMENTS_AT_ONCE 64

#define STATE_CLOSED(socket) (((socket)->state & PICO_SOCKET_STATE_CLOSED) != 0)

static void set_linger(struct pico_socket *socket, uint32_t ms) {
    pico_socket_setoption(socket, PICO_SOCKET_OPT_LINGER, &ms);
}

static bool is_ending(const struct pico_socket *socket) {
    return TCPSTATE(socket) == PICO_SOCKET_STATE_TCP_FIN_WAIT1 ||
           TCPSTATE(socket) == PICO_SOCKET_STATE_TCP_FIN_WAIT2;
}

static bool has_unread(const struct nd_picotcp_conn *conn) {
    return conn->stage_first != conn->stage_end ||
           (conn->socket != NULL && pico_tcp_queue_in_is_empty(conn->socket) == 0);
}

/* Bytes of the receive queue, whole segments as the peer sends them: a window that is shut to a
 * part of a segment makes picoTCP's sender lose bytes. With timestamps that is our own payload,
 * without the MSS. */
static uint32_t window_of(struct pico_socket *socket) {
    uint32_t mss = (uint32_t)pico_tcp_get_socket_mss(socket) - PICO_SIZE_TCPHDR;
    uint32_t payload = nd__picotcp_payload(socket);
    uint32_t segment = mss - payload > PICO_TCPOPTLEN_TIMESTAMP ? payload : mss;
    uint32_t all = PICO_DEFAULT_SOCKETQ;

    return all > segment ? all - all % segment : all;
}

static void set_window(struct pico_socket *socket, uint32_t bytes) {
    pico_socket_setoption(socket, PICO_SOCKET_OPT_RCVBUF, &bytes);
}

/* ---- what picoTCP calls ---------------------------------------------------------------- */

/* The first error stays; later ones are consequences. */
static void died(struct nd_picotcp_conn *conn, int result, pico_err_t err) {
    conn->cause = (uint16_t)err;
    conn->status = (int8_t)result;
    conn->tx_result = (int8_t)result;
}

/* Nobody sends an RST for a port without a listener: picoTCP has an ICMP message for that, and
 * says PICO_ERR_ECONNREFUSED. It says the same when no answer comes to its SYN, and deletes the
 * socket then itself; of the message it leaves a mark in the state. */
static void on_error(struct nd_picotcp_conn *conn, struct pico_socket *socket) {
    bool told = (socket->state & PICO_SOCKET_STATE_SHUT_REMOTE) != 0;
    int result = told ? nd__picotcp_result(pico_err) : ND_E_TIMEOUT;

    if (conn != NULL) {
        if (result == ND_E_REFUSED && conn->status == ND_OK) {
            result = ND_E_RESET;
        }
        died(conn, result, pico_err);
        nd__picotcp_detach(conn);
    }
    socket->wakeup = NULL;
    if (told) {
        pico_tcp_cleanup_queues(socket);
        pico_socket_del(socket);
    }
}

/* The socket goes to TIME_WAIT, or is being deleted: after both FINs, by a reset, because its
 * linger time is over, or because nobody acknowledged. pico_err is set for a reset alone. */
static void on_fin(struct nd_picotcp_conn *conn, struct pico_socket *socket) {
    pico_err_t err = pico_err;

    pico_err = PICO_ERR_NOERR;
    if (is_ending(socket)) {
        if (conn == NULL || !has_unread(conn)) {
            set_linger(socket, TIME_WAIT_MS);
        }
        if (conn != NULL) {
            conn->fin = true;
        }
        return;
    }
    socket->wakeup = NULL;
    if (conn == NULL) {
        return;
    }
    nd__picotcp_detach(conn);
    if (err == PICO_ERR_ECONNRESET) {
        died(conn, conn->status == ND_AGAIN ? ND_E_REFUSED : ND_E_RESET, err);
    } else if (!STATE_CLOSED(socket) || !conn->fin) {
        died(conn, ND_E_TIMEOUT, PICO_ERR_ETIMEDOUT);
    }
}

void nd__picotcp_tcp_event(uint16_t events, struct pico_socket *socket) {
    struct nd_picotcp_conn *conn = socket->priv;

    if (conn == NULL && socket->parent != NULL) {
        return; /* in mid-handshake */
    }
    if (conn != NULL && conn->kind == ND__PICOTCP_LISTENER) {
        if ((events & PICO_SOCK_EV_CONN) != 0) {
            nd__picotcp_caller(conn);
        }
        return;
    }
    if (conn != NULL) {
        if ((events & PICO_SOCK_EV_CONN) != 0) {
            nd__picotcp_established(conn);
        }
        if ((events & PICO_SOCK_EV_RD) != 0) {
            conn->untold = 0; /* its acknowledgement told */
        }
        if ((events & PICO_SOCK_EV_WR) != 0) {
            conn->full = false;
        }
        if ((events & PICO_SOCK_EV_CLOSE) != 0) {
            conn->fin = true;
        }
    }
    if ((events & PICO_SOCK_EV_ERR) != 0) {
        on_error(conn, socket);
    } else if ((events & PICO_SOCK_EV_FIN) != 0) {
        on_fin(conn, socket);
    }
}

/* ---- shared with open.c ---------------------------------------------------------------- */

void nd__picotcp_attach(struct nd_picotcp_conn *conn, struct pico_socket *socket) {
    conn->socket = socket;
    socket->priv = conn;
    conn->window = PICO_DEFAULT_SOCKETQ;
    set_linger(socket, LINGER_MS);
}

void nd__picotcp_established(struct nd_picotcp_conn *conn) {
    conn->window = window_of(conn->socket);
    set_window(conn->socket, conn->window);
    conn->status = ND_OK;
    conn->tx_result = ND_OK;
}

void nd__picotcp_forget(struct pico_socket *socket) {
    socket->priv = NULL;
    if (TCPSTATE(socket) == PICO_SOCKET_STATE_TCP_TIME_WAIT) {
        set_linger(socket, TIME_WAIT_MS);
    }
}

/* What is in mid-handshake is reset by picoTCP when it stands, since our direction has ended. Of
 * the others only the established do what the top of this file says. */
void nd__picotcp_abort(struct pico_socket *socket) {
    socket->priv = NULL;
    set_linger(socket, 0);
    switch (TCPSTATE(socket)) {
    case PICO_SOCKET_STATE_TCP_SYN_SENT:
    case PICO_SOCKET_STATE_TCP_SYN_RECV:
        break;
    default:
        pico_tcp_cleanup_queues(socket);
        socket->state = (uint16_t)((socket->state & ~PICO_SOCKET_STATE_TCP) |
                                   PICO_SOCKET_STATE_TCP_ESTABLISHED);
        break;
    }
    pico_socket_shutdown(socket, PICO_SHUT_WR);
}

/* ---- receiving ------------------------------------------------------------------------- */

/* picoTCP tells the peer of a window that opens only if it was shut: so it is shut for a moment.
 * Reading nothing makes it look. */
static void tell_window(struct nd_picotcp_conn *conn) {
    uint8_t nothing;

    set_window(conn->socket, 1);
    pico_socket_read(conn->socket, &nothing, 0);
    set_window(conn->socket, conn->window);
    pico_socket_read(conn->socket, &nothing, 0);
    conn->untold = 0;
}

/* pico_socket_read() looks the socket up in trees: it is asked only when something is there. */
static void read_more(struct nd_picotcp_conn *conn) {
    int count;

    if (conn->socket == NULL || pico_tcp_queue_in_is_empty(conn->socket) != 0) {
        return;
    }
    count = pico_socket_read(conn->socket, conn->stage, conn->port->stage_bytes);
    if (count > 0) {
        conn->stage_first = 0;
        conn->stage_end = (uint16_t)count;
        conn->untold += (uint32_t)count;
        if (conn->untold >= conn->window / 2) { /* RFC 9293, 3.8.6.2.2 */
            tell_window(conn);
        }
        conn->port->touched = true;
    }
}

int32_t nd__picotcp_rx(struct nd_conn *handle, const void **bytes) {
    struct nd_picotcp_conn *conn = nd__picotcp_conn(handle);

    if (conn->stage_first == conn->stage_end) {
        read_more(conn);
    }
    if (conn->stage_first != conn->stage_end) {
        *bytes = conn->stage + conn->stage_first;
        return conn->stage_end - conn->stage_first;
    }
    if (conn->fin && !has_unread(conn)) {
        return ND_EOF;
    }
    return conn->status != ND_OK ? conn->status : ND_AGAIN;
}

bool nd__picotcp_tcp_rx_done(struct nd_picotcp_conn *conn, uint32_t len) {
    conn->stage_first = (uint16_t)(conn->stage_first + len);
    return has_unread(conn) || conn->fin || conn->status != ND_OK;
}

/* ---- sending --------------------------------------------------------------------------- */

uint32_t nd__picotcp_payload(struct pico_socket *socket) {
    return (uint32_t)pico_tcp_get_socket_mss(socket) - pico_tcp_overhead(socket);
}

/* picoTCP makes a segment of each write and of each full payload in it: a long write ends with a
 * full one. The bytes are copied, ND_TX_STATIC or not, and leave in the next tick; but they are
 * stamped now: an acknowledgement that finds the first segment in the queue not yet sent makes
 * picoTCP believe that it was lost at time 0. */
int32_t nd__picotcp_tx(struct nd_conn *handle, const void *bytes, uint32_t len, unsigned flags) {
    struct nd_picotcp_conn *conn = nd__picotcp_conn(handle);
    uint32_t payload;
    int count;

    (void)flags;
    if (conn->tx_result != ND_OK) {
        return conn->tx_result;
    }
    if (conn->full) {
        return ND_AGAIN;
    }
    payload = nd__picotcp_payload(conn->socket);
    if (len > payload) {
        len -= len % payload;
    }
    pico_err = PICO_ERR_NOERR;
    count = pico_socket_write(conn->socket, bytes, (int)len);
    /* An acknowledgement will make room, but none makes memory. */
    conn->full = count < (int)len && pico_err != PICO_ERR_ENOMEM;
    if (count <= 0) {
        return ND_AGAIN;
    }
    pico_tcp_output(conn->socket, SEGMENTS_AT_ONCE);
    conn->port->touched = true;
    return count;
}

/* ---- ending ---------------------------------------------------------------------------- */

/* The FIN is sent behind the last byte that is acknowledged, and with it the state changes. */
int nd__picotcp_end(struct nd_conn *handle) {
    struct nd_picotcp_conn *conn = nd__picotcp_conn(handle);

    if (conn->status != ND_OK) {
        return conn->status == ND_AGAIN ? ND_E_STATE : conn->status;
    }
    if (conn->socket == NULL) {
        return ND_OK;
    }
    if (conn->tx_result == ND_OK) {
        conn->tx_result = ND_E_STATE;
        conn->port->touched = true;
        pico_socket_shutdown(conn->socket, PICO_SHUT_WR);
    }
    switch (TCPSTATE(conn->socket)) {
    case PICO_SOCKET_STATE_TCP_ESTABLISHED:
    case PICO_SOCKET_STATE_TCP_CLOSE_WAIT:
        return ND_AGAIN;
    default:
        return ND_OK;
    }
}

void nd__picotcp_tcp_close(struct nd_picotcp_conn *conn) {
    struct pico_socket *socket = conn->socket;
    bool ended = conn->status == ND_OK && conn->tx_result == ND_E_STATE;
    bool quiet = ended && (conn->fin || !has_unread(conn));

    if (socket == NULL) {
        return;
    }
    conn->socket = NULL;
    if (quiet || TCPSTATE(socket) == PICO_SOCKET_STATE_TCP_TIME_WAIT) {
        nd__picotcp_forget(socket);
    } else {
        nd__picotcp_abort(socket);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp.c - established connections: lwIP's callbacks, and sending, receiving and ending.
 *
 * Three rules keep pointers to pcbs right. lwIP frees a pcb before it calls the error callback,
 * so that callback only takes notes. A connection that reaches TIME_WAIT is lwIP's own: it is
 * forgotten at once. And CLOSING turns into TIME_WAIT without a callback, so a pcb in that state is
 * looked up among the active ones before it is touched. */
#include "tcp.h"

#include <stddef.h>

#include "lwip/pbuf.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/tcp.h"

/* Remember that step() has segments of this connection to send. */
static void mark_dirty(struct nd_lwip_raw_conn *conn) {
    if (!conn->tcp.dirty) {
        conn->tcp.dirty_next = conn->port->dirty;
        conn->port->dirty = conn;
        conn->tcp.dirty = true;
    }
}

/* ---- what lwIP calls -------------------------------------------------------------- */

/* Consumed bytes are given back to the window when the next acknowledgement leaves, which so tells
 * both, where lwIP would send another segment for the window; and at once when less than two
 * segments of window are left, so that the peer can always go on and silly windows (RFC 9293,
 * 3.8.6.2.2) never arise. */
static bool runs_short(const struct tcp_pcb *pcb) {
    return pcb->rcv_wnd < 2u * pcb->mss;
}

static void credit(struct nd_lwip_raw_conn *conn, struct tcp_pcb *pcb) {
    uint16_t held = conn->tcp.rx_held;

    conn->tcp.rx_held = 0;
    tcp_recved(pcb, held);
}

static err_t on_fin(struct nd_lwip_raw_conn *conn, struct tcp_pcb *pcb) {
    conn->rx_result = ND_EOF;
    if (pcb->state == TIME_WAIT) {
        nd__lwip_raw_forget(pcb);
        conn->tcp.pcb = NULL;
    } else if (pcb->state == CLOSING) {
        conn->tcp.closing = pcb;
        conn->tcp.pcb = NULL;
    }
    return ERR_OK;
}

static err_t on_recv(void *arg, struct tcp_pcb *pcb, struct pbuf *bytes, err_t err) {
    struct nd_lwip_raw_conn *conn = arg;
    struct pbuf *last = bytes;

    (void)err; /* always ERR_OK in lwIP 2 */
    if (bytes == NULL) {
        return on_fin(conn, pcb);
    }
    if (conn->tcp.rx_first == NULL) {
        conn->tcp.rx_first = bytes;
    } else {
        conn->tcp.rx_last->next = bytes;
    }
    while (last->next != NULL) {
        last = last->next;
    }
    conn->tcp.rx_last = last;
    if (conn->tcp.rx_held > 0 && (tcp_is_flag_set(pcb, TF_ACK_NOW) || runs_short(pcb))) {
        credit(conn, pcb);
    }
    return ERR_OK;
}

static err_t on_connected(void *arg, struct tcp_pcb *pcb, err_t err) {
    struct nd_lwip_raw_conn *conn = arg;

    (void)err; /* always ERR_OK: failures go to on_error() */
    conn->local.ip = pcb->local_ip;
    conn->status = ND_OK;
    conn->tx_result = ND_OK;
    return ERR_OK;
}

static int result_of_death(const struct nd_lwip_raw_conn *conn, err_t err) {
    if (err == ERR_RST) {
        return conn->status == ND_AGAIN ? ND_E_REFUSED : ND_E_RESET;
    }
    return err == ERR_ABRT ? ND_E_TIMEOUT : nd__lwip_raw_result(err);
}

/* The pcb is gone already. ERR_CLSD: both directions ended and all is acknowledged. */
static void on_error(void *arg, err_t err) {
    struct nd_lwip_raw_conn *conn = arg;

    conn->tcp.pcb = NULL;
    conn->tcp.closing = NULL;
    if (err != ERR_CLSD) {
        int8_t result = (int8_t)result_of_death(conn, err);

        conn->cause = err;
        conn->status = result;
        conn->tx_result = result;
        conn->rx_result = conn->rx_result == ND_EOF ? ND_EOF : result;
    }
}

/* ---- shared with open.c ------------------------------------------------------------ */

void nd__lwip_raw_attach(struct nd_lwip_raw_conn *conn, struct tcp_pcb *pcb) {
    conn->tcp.pcb = pcb;
    conn->rx_result = ND_AGAIN;
    tcp_nagle_disable(pcb);
    tcp_arg(pcb, conn);
    tcp_recv(pcb, on_recv);
    tcp_err(pcb, on_error);
}

err_t nd__lwip_raw_call(struct nd_lwip_raw_conn *conn, const struct nd_lwip_raw_end *peer) {
    return tcp_connect(conn->tcp.pcb, &peer->ip, peer->port, on_connected);
}

void nd__lwip_raw_forget(struct tcp_pcb *pcb) {
    tcp_arg(pcb, NULL);
    tcp_recv(pcb, NULL);
    tcp_err(pcb, NULL);
}

/* ---- receiving --------------------------------------------------------------------- */

/* The first pbuf is used up: free it, and keep the rest of the queue. */
static void drop_first(struct nd_lwip_raw_conn *conn) {
    struct pbuf *first = conn->tcp.rx_first;

    conn->tcp.rx_first = first->next;
    conn->tcp.rx_used = 0;
    first->next = NULL;
    pbuf_free(first);
}

int32_t nd__lwip_raw_rx(struct nd_conn *handle, const void **bytes) {
    struct nd_lwip_raw_conn *conn = nd__lwip_raw_conn(handle);
    struct pbuf *first;

    while ((first = conn->tcp.rx_first) != NULL) {
        uint16_t used = conn->tcp.rx_used;

        if (first->len != used) {
            *bytes = (const uint8_t *)first->payload + used;
            return first->len - used;
        }
        drop_first(conn); /* empty: lwIP leaves such where it cut off a header or an overlap */
    }
    return conn->rx_result;
}

bool nd__lwip_raw_tcp_rx_done(struct nd_lwip_raw_conn *conn, uint32_t len) {
    struct tcp_pcb *pcb = conn->tcp.pcb;
    uint16_t used = (uint16_t)(conn->tcp.rx_used + len);

    conn->tcp.rx_used = used;
    conn->tcp.rx_held = (uint16_t)(conn->tcp.rx_held + len);
    if (used == conn->tcp.rx_first->len) {
        drop_first(conn);
    }
    if (pcb != NULL && runs_short(pcb)) {
        credit(conn, pcb);
    }
    return conn->tcp.rx_first != NULL || conn->rx_result != ND_AGAIN;
}

static void drop_all(struct nd_lwip_raw_conn *conn) {
    while (conn->tcp.rx_first != NULL) {
        drop_first(conn);
    }
}

/* ---- sending ----------------------------------------------------------------------- */

/* Send what is queued; what the driver refuses is tried again by step(). */
static void send_queued(struct nd_lwip_raw_conn *conn) {
    if (tcp_output(conn->tcp.pcb) != ERR_OK) {
        mark_dirty(conn);
    }
}

/* lwIP had no memory for all of it at once: as many segments as it has memory for. */
static uint32_t write_pieces(struct tcp_pcb *pcb, const uint8_t *bytes, uint32_t len, uint8_t how) {
    uint32_t done = 0;

    while (done < len) {
        uint16_t piece = (uint16_t)LWIP_MIN(len - done, (uint32_t)tcp_mss(pcb));

        if (tcp_write(pcb, bytes + done, piece, how) != ERR_OK) {
            break;
        }
        done += piece;
    }
    return done;
}

/* Whole segments only where not all fits: a runt would cost as much as a full one. */
static uint32_t whole_segments(struct tcp_pcb *pcb, uint32_t room) {
    uint32_t mss = tcp_mss(pcb);

    return room < mss ? 0 : room - room % mss;
}

/* No room: what ND_TX_MORE held back leaves now, because the caller may go to sleep; but the part
 * of a segment at its end waits for the rest, which will come when an acknowledgement has made
 * room. That is Nagle's rule, and lwIP keeps it, too, when that acknowledgement makes it send. */
static int32_t full(struct nd_lwip_raw_conn *conn) {
    if (conn->tcp.dirty) {
        conn->tcp.brim = true;
        send_queued(conn);
    }
    return ND_AGAIN;
}

int32_t nd__lwip_raw_tx(struct nd_conn *handle, const void *bytes, uint32_t len, unsigned flags) {
    struct nd_lwip_raw_conn *conn = nd__lwip_raw_conn(handle);
    struct tcp_pcb *pcb = conn->tcp.pcb;
    uint8_t how = 0;
    uint32_t room;

    if (conn->tx_result != ND_OK) {
        return conn->tx_result;
    }
    room = tcp_sndbuf(pcb);
    if (len > room) {
        len = whole_segments(pcb, room);
        if (len == 0) {
            return full(conn);
        }
    }
    if ((flags & ND_TX_STATIC) == 0) {
        how = TCP_WRITE_FLAG_COPY;
    }
    if ((flags & ND_TX_MORE) != 0) {
        how |= TCP_WRITE_FLAG_MORE;
    }
    if (tcp_write(pcb, bytes, (u16_t)len, how) != ERR_OK) {
        len = write_pieces(pcb, bytes, len, how);
        if (len == 0) {
            return full(conn);
        }
    }
    if ((flags & ND_TX_MORE) != 0) {
        tcp_nagle_enable(pcb);
        mark_dirty(conn);
    } else {
        tcp_nagle_disable(pcb);
        send_queued(conn);
    }
    return (int32_t)len;
}

void nd__lwip_raw_tcp_flush(struct nd_lwip_raw *port) {
    struct nd_lwip_raw_conn *conn = port->dirty;

    port->dirty = NULL;
    while (conn != NULL) {
        struct nd_lwip_raw_conn *next = conn->tcp.dirty_next;

        conn->tcp.dirty = false;
        if (conn->tcp.pcb != NULL) {
            if (!conn->tcp.brim) {
                tcp_nagle_disable(conn->tcp.pcb);
            }
            conn->tcp.brim = false;
            send_queued(conn);
        }
        conn = next;
    }
}

/* ---- ending ------------------------------------------------------------------------ */

/* Whether a pcb last seen in CLOSING is still there; if not, all it sent was acknowledged. */
static bool still_closing(const struct nd_lwip_raw_conn *conn) {
    const struct tcp_pcb *pcb = tcp_active_pcbs;

    while (pcb != NULL && pcb != conn->tcp.closing) {
        pcb = pcb->next;
    }
    return pcb != NULL && pcb->callback_arg == conn;
}

/* Queue the FIN. When there is no memory for it, lwIP reports success and tries again by its
 * timer; asking once more at the next end() is quicker. */
static int send_fin(struct nd_lwip_raw_conn *conn) {
    err_t err = tcp_shutdown(conn->tcp.pcb, 0, 1);

    if (err != ERR_OK && err != ERR_MEM) {
        conn->cause = err;
        return nd__lwip_raw_result(err);
    }
    conn->tx_result = ND_E_STATE;
    return ND_AGAIN;
}

int nd__lwip_raw_end(struct nd_conn *handle) {
    struct nd_lwip_raw_conn *conn = nd__lwip_raw_conn(handle);

    if (conn->status != ND_OK) {
        return conn->status == ND_AGAIN ? ND_E_STATE : conn->status;
    }
    if (conn->tcp.pcb == NULL) {
        return conn->tcp.closing != NULL && still_closing(conn) ? ND_AGAIN : ND_OK;
    }
    switch (conn->tcp.pcb->state) {
    case ESTABLISHED:
    case CLOSE_WAIT:
        return send_fin(conn);
    case FIN_WAIT_2:
        return ND_OK;
    default:
        return ND_AGAIN;
    }
}

void nd__lwip_raw_tcp_info(const struct nd_lwip_raw_conn *conn, struct nd_conn_info *info) {
    const struct tcp_pcb *pcb = conn->tcp.pcb;

    if (pcb == NULL && conn->tcp.closing != NULL && still_closing(conn)) {
        pcb = conn->tcp.closing;
    }
    if (pcb != NULL) {
        info->mss_bytes = tcp_mss(pcb);
        info->unacked_bytes = (int64_t)TCP_SND_BUF - pcb->snd_buf;
    } else if (conn->status == ND_OK) {
        info->unacked_bytes = 0;
    }
}

static void undo_dirty(struct nd_lwip_raw_conn *conn) {
    struct nd_lwip_raw_conn **link = &conn->port->dirty;

    if (conn->tcp.dirty) {
        while (*link != conn) {
            link = &(*link)->tcp.dirty_next;
        }
        *link = conn->tcp.dirty_next;
    }
}

void nd__lwip_raw_tcp_close(struct nd_lwip_raw_conn *conn) {
    struct tcp_pcb *pcb = conn->tcp.pcb;
    bool ended = conn->status == ND_OK && conn->tx_result == ND_E_STATE;
    bool quiet = ended && (conn->tcp.rx_first == NULL || conn->rx_result == ND_EOF);

    if (pcb == NULL && conn->tcp.closing != NULL && still_closing(conn)) {
        pcb = conn->tcp.closing;
    }
    undo_dirty(conn);
    drop_all(conn);
    conn->kind = ND__LWIP_RAW_FREE;
    if (pcb == NULL) {
        return;
    }
    nd__lwip_raw_forget(pcb);
    /* lwIP takes a window that is not open for data that nobody read, and resets. */
    if (conn->tcp.rx_held > 0) {
        credit(conn, pcb);
    }
    if (!quiet || tcp_close(pcb) != ERR_OK) {
        tcp_abort(pcb);
    }
}

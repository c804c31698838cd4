/* SPDX-License-Identifier: BSD-3-Clause */
/* udp.c - datagram sockets. A received datagram is lent where it lies, in the socket's queue of
 * frames: unlike a stream it stays in one piece there. */
#include "udp.h"

#include "pico_device.h"
#include "pico_udp.h"

/* Datagrams of the port that may be on their way to the driver; picoTCP itself would queue them as
 * long as it has memory. */
#define QUEUED_FRAMES 4u

/* Count the sockets with something to read: step() says so as long as there are any. */
static void set_readable(struct nd_picotcp_conn *conn, bool readable) {
    if (conn->readable != readable) {
        conn->port->readable += readable ? 1u : UINT32_MAX;
        conn->readable = readable;
    }
}

static void on_event(uint16_t events, struct pico_socket *socket) {
    if (socket->priv != NULL && (events & PICO_SOCK_EV_RD) != 0) {
        set_readable(socket->priv, true);
    }
}

static uint32_t payload_of(const struct pico_frame *frame) {
    return frame->transport_len - (uint32_t)sizeof(struct pico_udp_hdr);
}

static void drop_first(struct pico_socket *socket) {
    pico_frame_discard(pico_dequeue(&socket->q_in));
}

int nd__picotcp_udp_open(void *ctx, const struct nd_addr *at, struct nd_conn **handle) {
    struct nd_picotcp_conn *conn;
    struct pico_ip4 ip;
    uint16_t number;

    if (!nd__picotcp_ip(at, &ip)) {
        return ND_E_ARG;
    }
    conn = nd__picotcp_take(ctx, ND__PICOTCP_UDP);
    if (conn == NULL) {
        return ND_E_FULL;
    }
    conn->socket = pico_socket_open(PICO_PROTO_IPV4, PICO_PROTO_UDP, on_event);
    if (conn->socket == NULL) {
        nd__picotcp_free(conn);
        return ND_E_MEMORY;
    }
    number = at->port != 0 ? at->port : nd__picotcp_choose_port(ctx, PICO_PROTO_UDP);
    conn->local = nd__picotcp_addr(&ip, short_be(number));
    number = short_be(number);
    if (pico_socket_bind(conn->socket, &ip, &number) != 0) {
        int result = nd__picotcp_failed(conn);

        pico_socket_close(conn->socket);
        nd__picotcp_free(conn);
        return result;
    }
    conn->socket->priv = conn;
    conn->tx_result = ND_E_STATE;
    *handle = nd__picotcp_handle(conn);
    return ND_OK;
}

int32_t nd__picotcp_udp_tx(struct nd_conn *handle, const struct nd_addr *to, const void *bytes,
                           uint32_t len, unsigned flags) {
    struct nd_picotcp_conn *conn = nd__picotcp_conn(handle);
    struct pico_socket *socket = conn->socket;
    struct pico_ip4 ip;
    int sent;

    (void)flags;
    if (to->family == 0 || to->port == 0 || !nd__picotcp_ip(to, &ip)) {
        return ND_E_ARG;
    }
    /* picoTCP cuts a datagram at the interface's MTU, which it knows by this alone. */
    socket->dev = pico_ipv4_source_dev_find(&ip);
    if (socket->dev == NULL) {
        conn->cause = PICO_ERR_EHOSTUNREACH;
        return ND_E_UNREACHABLE;
    }
    if (len > pico_socket_get_mss(socket) - sizeof(struct pico_udp_hdr)) {
        return ND_E_ARG;
    }
    conn->port->touched = true;
    if (pico_proto_udp.q_out->frames + socket->dev->q_out->frames >= QUEUED_FRAMES) {
        return ND_AGAIN;
    }
    pico_err = PICO_ERR_NOERR;
    sent = pico_socket_sendto(socket, bytes, (int)len, &ip, short_be(to->port));
    if (sent > 0) {
        return sent;
    }
    if (sent == 0 || pico_err == PICO_ERR_ENOMEM) {
        return ND_AGAIN;
    }
    return nd__picotcp_failed(conn);
}

int32_t nd__picotcp_udp_rx(struct nd_conn *handle, struct nd_addr *from, const void **bytes) {
    struct nd_picotcp_conn *conn = nd__picotcp_conn(handle);
    const struct pico_frame *frame = pico_queue_peek(&conn->socket->q_in);
    const struct pico_ipv4_hdr *ip;
    const struct pico_udp_hdr *udp;

    while (frame != NULL && payload_of(frame) == 0) { /* empty ones are no answer */
        drop_first(conn->socket);
        frame = pico_queue_peek(&conn->socket->q_in);
    }
    if (frame == NULL) {
        set_readable(conn, false);
        return ND_AGAIN;
    }
    ip = (const struct pico_ipv4_hdr *)frame->net_hdr;
    udp = (const struct pico_udp_hdr *)frame->transport_hdr;
    *from = nd__picotcp_addr(&(struct pico_ip4){ip->src.addr}, udp->trans.sport);
    *bytes = frame->transport_hdr + sizeof *udp;
    return (int32_t)payload_of(frame);
}

void nd__picotcp_udp_rx_done(struct nd_picotcp_conn *conn) {
    drop_first(conn->socket);
    set_readable(conn, pico_queue_peek(&conn->socket->q_in) != NULL);
}

void nd__picotcp_udp_close(struct nd_picotcp_conn *conn) {
    struct pico_socket *socket = conn->socket;

    set_readable(conn, false);
    nd__picotcp_detach(conn);
    pico_socket_close(socket);
}

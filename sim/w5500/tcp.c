/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp.c - sockets in TCP mode: each has a connection of lwIP, or waits for one. */
#include "w5500/model.h"

#include "lwip/priv/tcp_priv.h"

/* Listening sockets of the same port number share one listener of lwIP. */
static struct {
    struct tcp_pcb *pcb; /* NULL = unused */
    uint16_t port;
} listeners[ND__SOCKETS];

static uint8_t ext_id = LWIP_TCP_PCB_NUM_EXT_ARG_ID_INVALID;

static uint16_t port_of(const struct nd__socket *s) {
    return nd__get16(s->reg + ND__SN_PORT);
}

uint8_t nd__tcp_state(const struct nd__socket *s) {
    static const uint8_t states[] = {
        [CLOSED] = ND__SR_CLOSED,           [LISTEN] = ND__SR_LISTEN,
        [SYN_SENT] = ND__SR_SYNSENT,        [SYN_RCVD] = ND__SR_SYNRECV,
        [ESTABLISHED] = ND__SR_ESTABLISHED, [FIN_WAIT_1] = ND__SR_FIN_WAIT,
        [FIN_WAIT_2] = ND__SR_FIN_WAIT,     [CLOSE_WAIT] = ND__SR_CLOSE_WAIT,
        [CLOSING] = ND__SR_CLOSING,         [LAST_ACK] = ND__SR_LAST_ACK,
        [TIME_WAIT] = ND__SR_TIME_WAIT,
    };

    return s->tcp != NULL ? states[s->tcp->state] : s->sr;
}

/* lwIP keeps the connection for itself from now on. */
static void detach(struct nd__socket *s) {
    struct tcp_pcb *pcb = s->tcp;

    tcp_arg(pcb, NULL);
    tcp_recv(pcb, NULL);
    tcp_sent(pcb, NULL);
    tcp_err(pcb, NULL);
    s->tcp = NULL;
    s->sr = ND__SR_CLOSED;
    s->since_ms = 0;
}

static void time_out(struct nd__socket *s) {
    s->ir |= ND__IR_TIMEOUT;
    s->sending = false;
}

/* ---- what lwIP tells ---- */

static err_t on_received(void *arg, struct tcp_pcb *pcb, struct pbuf *p, err_t err) {
    struct nd__socket *s = arg;

    (void)pcb;
    (void)err;
    if (p == NULL) {
        s->ir |= ND__IR_DISCON;
        return ERR_OK;
    }
    for (const struct pbuf *piece = p; piece != NULL; piece = piece->next) {
        nd__socket_store(s, piece->payload, piece->len);
    }
    pbuf_free(p);
    s->ir |= ND__IR_RECV;
    return ERR_OK;
}

static err_t on_acknowledged(void *arg, struct tcp_pcb *pcb, u16_t len) {
    struct nd__socket *s = arg;

    (void)pcb;
    s->tx_acked = (uint16_t)(s->tx_acked + len);
    s->since_ms = 0;
    return ERR_OK;
}

/* lwIP has freed the connection. */
static void on_error(void *arg, err_t err) {
    struct nd__socket *s = arg;

    s->tcp = NULL;
    s->sr = ND__SR_CLOSED;
    s->since_ms = 0;
    if (err == ERR_ABRT) {
        time_out(s);
    }
}

static err_t on_connected(void *arg, struct tcp_pcb *pcb, err_t err) {
    struct nd__socket *s = arg;

    (void)pcb;
    (void)err;
    s->ir |= ND__IR_CON;
    s->since_ms = 0;
    return ERR_OK;
}

/* The connection of a socket: its window is what the socket's buffer has room for. */
static void attach(struct nd__socket *s, struct tcp_pcb *pcb) {
    s->tcp = pcb;
    tcp_arg(pcb, s);
    tcp_recv(pcb, on_received);
    tcp_sent(pcb, on_acknowledged);
    tcp_err(pcb, on_error);
    tcp_nagle_disable(pcb);
    pcb->rcv_wnd = pcb->rcv_ann_wnd = (tcpwnd_size_t)nd__rx_size(s);
    pcb->ttl = s->reg[ND__SN_TTL];
    if (s->reg[ND__SN_KPALVTR] != 0) {
        ip_set_option(pcb, SOF_KEEPALIVE);
        pcb->keep_idle = 5000u * s->reg[ND__SN_KPALVTR];
    }
}

/* ---- listening ---- */

static unsigned listening(uint16_t port, uint8_t sr) {
    unsigned count = 0;

    for (unsigned i = 0; i < ND__SOCKETS; i++) {
        const struct nd__socket *s = &nd__chip.sockets[i];

        count += nd__tcp_state(s) == sr && port_of(s) == port;
    }
    return count;
}

/* A SYN for a listener: the lowest socket that listens there takes it. */
static err_t on_syn(u8_t id, struct tcp_pcb_listen *listener, struct tcp_pcb *pcb) {
    (void)id;
    for (unsigned i = 0; i < ND__SOCKETS; i++) {
        struct nd__socket *s = &nd__chip.sockets[i];

        if (s->tcp == NULL && s->sr == ND__SR_LISTEN && port_of(s) == listener->local_port) {
            attach(s, pcb);
            return ERR_OK;
        }
    }
    return ERR_USE;
}

static err_t on_established(void *arg, struct tcp_pcb *pcb, err_t err) {
    struct nd__socket *s = pcb->callback_arg;

    (void)arg;
    if (err != ERR_OK || s == NULL) {
        return ERR_ABRT;
    }
    nd__put16(s->reg + ND__SN_DPORT, pcb->remote_port);
    for (unsigned i = 0; i < 4; i++) {
        s->reg[ND__SN_DIPR + i] = ip4_addr_get_byte(ip_2_ip4(&pcb->remote_ip), i);
    }
    return on_connected(s, pcb, err);
}

static struct tcp_pcb *new_pcb(uint16_t port) {
    struct tcp_pcb *pcb = tcp_new();

    if (pcb != NULL) {
        ip_set_option(pcb, SOF_REUSEADDR);
        tcp_bind(pcb, IP4_ADDR_ANY, port);
    }
    return pcb;
}

static struct tcp_pcb *open_listener(uint16_t port) {
    static const struct tcp_ext_arg_callbacks callbacks = {.passive_open = on_syn};
    struct tcp_pcb *pcb = tcp_listen(new_pcb(port));

    if (pcb != NULL) {
        if (ext_id == LWIP_TCP_PCB_NUM_EXT_ARG_ID_INVALID) {
            ext_id = tcp_ext_arg_alloc_id();
        }
        tcp_ext_arg_set_callbacks(pcb, ext_id, &callbacks);
        tcp_arg(pcb, NULL);
        tcp_accept(pcb, on_established);
    }
    return pcb;
}

/* lwIP listens as long as a socket does, or one shakes hands. One SYN each: those beyond go
 * unanswered while a handshake lasts, and are refused when no socket listens. */
void nd__tcp_update_listeners(void) {
    for (unsigned i = 0; i < ND__SOCKETS; i++) {
        unsigned count;

        if (listeners[i].pcb == NULL) {
            continue;
        }
        count = listening(listeners[i].port, ND__SR_LISTEN) +
                listening(listeners[i].port, ND__SR_SYNRECV);
        if (count == 0) {
            tcp_close(listeners[i].pcb);
            listeners[i].pcb = NULL;
        } else {
            tcp_backlog_set(listeners[i].pcb, (u8_t)count);
        }
    }
}

void nd__tcp_listen(struct nd__socket *s) {
    unsigned at = ND__SOCKETS;

    s->sr = ND__SR_LISTEN;
    for (unsigned i = 0; i < ND__SOCKETS; i++) {
        if (listeners[i].pcb != NULL && listeners[i].port == port_of(s)) {
            return;
        }
        if (listeners[i].pcb == NULL) {
            at = i;
        }
    }
    listeners[at].port = port_of(s);
    listeners[at].pcb = open_listener(port_of(s));
}

/* ---- commands ---- */

void nd__tcp_connect(struct nd__socket *s) {
    ip_addr_t to = nd__net_peer(s);
    struct tcp_pcb *pcb = new_pcb(port_of(s));

    if (pcb == NULL) {
        return;
    }
    attach(s, pcb);
    if (tcp_connect(pcb, &to, nd__get16(s->reg + ND__SN_DPORT), on_connected) != ERR_OK) {
        nd__tcp_drop(s);
        time_out(s);
        return;
    }
    pcb->rcv_wnd = pcb->rcv_ann_wnd = (tcpwnd_size_t)nd__rx_size(s);
}

void nd__tcp_disconnect(struct nd__socket *s) {
    uint8_t sr = nd__tcp_state(s);

    if (sr == ND__SR_ESTABLISHED || sr == ND__SR_CLOSE_WAIT) {
        tcp_shutdown(s->tcp, 0, 1);
    } else if (sr == ND__SR_LISTEN || sr == ND__SR_INIT) {
        nd__tcp_drop(s);
        s->sr = ND__SR_CLOSED;
    } else {
        nd__chip.faults.state_commands++;
    }
}

void nd__tcp_send(struct nd__socket *s, uint16_t to) {
    uint8_t sr = nd__tcp_state(s);

    if (sr != ND__SR_ESTABLISHED && sr != ND__SR_CLOSE_WAIT) {
        nd__chip.faults.state_commands++;
        return;
    }
    while (s->tx_taken != to) {
        uint32_t at = s->tx_taken & (nd__tx_size(s) - 1);
        uint32_t len = (uint16_t)(to - s->tx_taken);

        len = at + len > nd__tx_size(s) ? nd__tx_size(s) - at : len;
        if (tcp_write(s->tcp, s->tx + at, (u16_t)len, TCP_WRITE_FLAG_COPY) != ERR_OK) {
            nd__chip.faults.tx_overfills++;
            return;
        }
        s->tx_taken = (uint16_t)(s->tx_taken + len);
    }
    s->sending = true;
    tcp_output(s->tcp);
}

void nd__tcp_keep(struct nd__socket *s) {
    if (s->tcp == NULL || s->tcp->state < ESTABLISHED) {
        nd__chip.faults.state_commands++;
        return;
    }
    tcp_keepalive(s->tcp);
}

/* Room was made: tell the peer when it is worth a segment, or half of a small buffer. */
void nd__tcp_received(struct nd__socket *s, uint16_t len) {
    struct tcp_pcb *pcb = s->tcp;
    uint32_t worth = LWIP_MIN(pcb->mss, nd__rx_size(s) / 2);

    pcb->rcv_wnd = (tcpwnd_size_t)(pcb->rcv_wnd + len);
    if (pcb->rcv_nxt + pcb->rcv_wnd - pcb->rcv_ann_right_edge >= worth) {
        pcb->rcv_ann_wnd = pcb->rcv_wnd;
        tcp_ack_now(pcb);
        tcp_output(pcb);
    }
}

/* Is the next word the peer's? */
static bool waits(const struct tcp_pcb *pcb) {
    switch (pcb->state) {
    case ESTABLISHED:
    case CLOSE_WAIT:
    case FIN_WAIT_2:
        return pcb->unacked != NULL;
    default:
        return true;
    }
}

static void watch(struct nd__socket *s) {
    uint64_t now_ms = nd__now_ms();

    if (!waits(s->tcp)) {
        s->since_ms = 0;
    } else if (s->since_ms == 0) {
        s->since_ms = now_ms + 1;
    } else if (now_ms + 1 - s->since_ms > nd__net_limit_ms(true)) {
        nd__tcp_drop(s);
        time_out(s);
    }
}

void nd__tcp_poll(struct nd__socket *s) {
    if (s->sending && s->tcp->unsent == NULL) {
        nd__socket_sent(s);
    }
    if (s->tcp->state == TIME_WAIT) {
        detach(s);
    } else {
        watch(s);
    }
}

void nd__tcp_drop(struct nd__socket *s) {
    if (s->tcp != NULL) {
        struct tcp_pcb *pcb = s->tcp;

        detach(s);
        tcp_abandon(pcb, 0);
    }
    s->sr = ND__SR_CLOSED;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* socket.c - a socket's registers, its commands and its two buffers. */
#include "w5500/model.h"

#include <string.h>

void nd__socket_reset(struct nd__socket *s) {
    nd__tcp_drop(s);
    nd__udp_drop(s);
    memset(s, 0, sizeof *s);
    s->reg[ND__SN_RXBUF_SIZE] = 2;
    s->reg[ND__SN_TXBUF_SIZE] = 2;
    s->reg[ND__SN_TTL] = 0x80;
    s->reg[ND__SN_IMR] = 0xFF;
    s->reg[ND__SN_FRAG] = 0x40;
    memset(s->reg + ND__SN_DHAR, 0xFF, 6);
}

void nd__socket_store(struct nd__socket *s, const void *bytes, uint32_t len) {
    const uint8_t *from = bytes;

    for (uint32_t i = 0; i < len; i++) {
        s->rx[(s->rx_wr + i) & (nd__rx_size(s) - 1)] = from[i];
    }
    s->rx_wr = (uint16_t)(s->rx_wr + len);
}

void nd__socket_sent(struct nd__socket *s) {
    s->sending = false;
    s->tx_rd = s->tx_taken;
    s->ir |= ND__IR_SENDOK;
}

void nd__socket_poll_all(void) {
    for (unsigned i = 0; i < ND__SOCKETS; i++) {
        struct nd__socket *s = &nd__chip.sockets[i];

        if (s->tcp != NULL) {
            nd__tcp_poll(s);
        } else if (s->udp != NULL) {
            nd__udp_poll(s);
        }
    }
    nd__tcp_update_listeners();
}

/* ---- commands ---- */

static void close_socket(struct nd__socket *s) {
    nd__tcp_drop(s);
    nd__udp_drop(s);
    s->sr = ND__SR_CLOSED;
    s->sending = false;
    s->since_ms = 0;
}

static bool fits(void) {
    uint32_t rx = 0;
    uint32_t tx = 0;

    for (unsigned i = 0; i < ND__SOCKETS; i++) {
        rx += nd__rx_size(&nd__chip.sockets[i]);
        tx += nd__tx_size(&nd__chip.sockets[i]);
    }
    return rx <= ND__BUFFER_BYTES && tx <= ND__BUFFER_BYTES;
}

static void open_socket(struct nd__socket *s) {
    close_socket(s);
    if (!fits()) {
        nd__chip.faults.oversized++;
    }
    s->tx_rd = s->tx_taken = s->tx_acked = 0;
    s->rx_rd = s->rx_wr = 0;
    nd__put16(s->reg + ND__SN_TX_WR, 0);
    nd__put16(s->reg + ND__SN_RX_RD, 0);
    switch (s->reg[ND__SN_MR] & 0x0F) {
    case ND__SN_MR_TCP:
        s->sr = ND__SR_INIT;
        break;
    case ND__SN_MR_UDP:
        nd__udp_open(s);
        break;
    default:
        nd__chip.faults.state_commands++;
        break;
    }
}

static void send(struct nd__socket *s, bool to_mac) {
    uint16_t to = nd__get16(s->reg + ND__SN_TX_WR);

    if (s->sending) {
        nd__chip.faults.early_sends++;
        return;
    }
    if ((uint16_t)(to - s->tx_acked) > nd__tx_size(s)) {
        nd__chip.faults.tx_overfills++;
        return;
    }
    if (s->udp != NULL) {
        nd__udp_send(s, to, to_mac);
    } else {
        nd__tcp_send(s, to);
    }
}

static void give_back(struct nd__socket *s) {
    uint16_t to = nd__get16(s->reg + ND__SN_RX_RD);
    uint16_t len = (uint16_t)(to - s->rx_rd);

    if (len > nd__rx_stored(s)) {
        nd__chip.faults.rx_overreads++;
        return;
    }
    s->rx_rd = to;
    if (s->tcp != NULL) {
        nd__tcp_received(s, len);
    }
}

static bool in_state(const struct nd__socket *s, uint8_t sr) {
    if (nd__tcp_state(s) == sr) {
        return true;
    }
    nd__chip.faults.state_commands++;
    return false;
}

static void obey(struct nd__socket *s, uint8_t command) {
    switch (command) {
    case ND__CR_OPEN:
        open_socket(s);
        break;
    case ND__CR_LISTEN:
        if (in_state(s, ND__SR_INIT)) {
            nd__tcp_listen(s);
        }
        break;
    case ND__CR_CONNECT:
        if (in_state(s, ND__SR_INIT)) {
            nd__tcp_connect(s);
        }
        break;
    case ND__CR_DISCON:
        nd__tcp_disconnect(s);
        break;
    case ND__CR_CLOSE:
        close_socket(s);
        break;
    case ND__CR_SEND:
    case ND__CR_SEND_MAC:
        send(s, command == ND__CR_SEND_MAC);
        break;
    case ND__CR_SEND_KEEP:
        nd__tcp_keep(s);
        break;
    case ND__CR_RECV:
        give_back(s);
        break;
    default:
        nd__chip.faults.unknown_commands++;
        break;
    }
}

static void take_command(struct nd__socket *s, uint8_t command) {
    uint64_t now_ns = nd__chip.cfg.now_ns(nd__chip.cfg.ctx);

    if (now_ns < s->command_ns) {
        nd__chip.faults.early_commands++;
        return;
    }
    s->reg[ND__SN_CR] = command;
    s->command_ns = now_ns + ND__COMMAND_NS;
    obey(s, command);
}

/* ---- registers ---- */

/* Sn_TX_FSR: in TCP what is not acknowledged keeps its place. */
static uint16_t tx_free(const struct nd__socket *s) {
    uint16_t to = nd__get16(s->reg + ND__SN_TX_WR);
    uint16_t used = (uint16_t)(to - s->tx_acked);
    uint32_t size = nd__tx_size(s);

    return used < size ? (uint16_t)(size - used) : 0;
}

static uint8_t half(uint16_t value, uint16_t at) {
    return (uint8_t)(at % 2 == 0 ? value >> 8 : value);
}

uint8_t nd__socket_read(struct nd__socket *s, uint16_t at) {
    switch (at) {
    case ND__SN_CR:
        return nd__chip.cfg.now_ns(nd__chip.cfg.ctx) < s->command_ns ? s->reg[ND__SN_CR] : 0;
    case ND__SN_IR:
        return s->ir;
    case ND__SN_SR:
        return nd__tcp_state(s);
    case ND__SN_TX_FSR:
    case ND__SN_TX_FSR + 1:
        return half(tx_free(s), at);
    case ND__SN_TX_RD:
    case ND__SN_TX_RD + 1:
        return half(s->tx_rd, at);
    case ND__SN_RX_RSR:
    case ND__SN_RX_RSR + 1:
        return half(nd__rx_stored(s), at);
    case ND__SN_RX_WR:
    case ND__SN_RX_WR + 1:
        return half(s->rx_wr, at);
    default:
        return at < ND__SN_REGISTERS ? s->reg[at] : 0;
    }
}

static bool is_read_only(uint16_t at) {
    return at == ND__SN_SR || (at >= ND__SN_TX_FSR && at < ND__SN_TX_WR) || at == ND__SN_RX_RSR ||
           at == ND__SN_RX_RSR + 1 || at == ND__SN_RX_WR || at == ND__SN_RX_WR + 1;
}

void nd__socket_write(struct nd__socket *s, uint16_t at, uint8_t value) {
    if (at >= ND__SN_REGISTERS || is_read_only(at)) {
        return;
    }
    if (at == ND__SN_CR) {
        take_command(s, value);
    } else if (at == ND__SN_IR) {
        s->ir = (uint8_t)(s->ir & ~value);
    } else {
        s->reg[at] = value;
    }
}

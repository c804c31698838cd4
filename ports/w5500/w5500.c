/* SPDX-License-Identifier: BSD-3-Clause */
/* w5500.c - the context, the step, and the table of calls. */
#include "nd_w5500.h"
#include "slot.h"

#include <string.h>

#include "nd/memory.h"

/* Reads of the version register before the chip counts as absent. It is there a millisecond after
 * a reset (datasheet, reset timing), which on the fastest bus is some thousand reads. */
#define RESET_TRIES 4000u

/* What the chip sends in a segment when the peer allows it (datasheet, Sn_MSSR) [byte]. */
#define MSS_BYTES 1460

/* ---- start ---- */

static bool is_size(uint8_t kib) {
    return kib <= 16 && (kib & (kib - 1)) == 0;
}

static bool take_sizes(struct nd_w5500 *port, const struct nd_w5500_cfg *cfg) {
    unsigned rx = 0;
    unsigned tx = 0;

    for (unsigned i = 0; i < ND_W5500_SOCKETS; i++) {
        if (!is_size(cfg->rx_kib[i]) || !is_size(cfg->tx_kib[i])) {
            return false;
        }
        rx += port->rx_kib[i] = cfg->rx_kib[i];
        tx += port->tx_kib[i] = cfg->tx_kib[i];
    }
    if (rx + tx == 0) {
        memset(port->rx_kib, 2, sizeof port->rx_kib);
        memset(port->tx_kib, 2, sizeof port->tx_kib);
    }
    return rx <= 16 && tx <= 16;
}

static bool reset_chip(struct nd_w5500 *port) {
    const uint8_t mode = ND__W5500_MODE_RESET;
    uint8_t now = mode;
    uint8_t version = 0;

    nd__w5500_write(port, ND__W5500_COMMON, 0, ND__W5500_MODE, &mode, 1);
    for (unsigned i = 0; i < RESET_TRIES && (now != 0 || version != ND__W5500_IS_VERSION); i++) {
        nd__w5500_read(port, ND__W5500_COMMON, 0, ND__W5500_MODE, &now, 1);
        nd__w5500_read(port, ND__W5500_COMMON, 0, ND__W5500_VERSION, &version, 1);
    }
    return version == ND__W5500_IS_VERSION;
}

static void configure(struct nd_w5500 *port, const struct nd_w5500_cfg *cfg) {
    const uint8_t every_socket = 0xFF;
    uint8_t addresses[18];

    memcpy(addresses, cfg->gateway, 4);
    memcpy(addresses + 4, cfg->mask, 4);
    memcpy(addresses + 8, cfg->mac, 6);
    memcpy(addresses + 14, cfg->ip, 4);
    nd__w5500_write(port, ND__W5500_COMMON, 0, ND__W5500_ADDRESSES, addresses, sizeof addresses);
    nd__w5500_write(port, ND__W5500_COMMON, 0, ND__W5500_INTERRUPT_MASK, &every_socket, 1);
    for (unsigned i = 0; i < ND_W5500_SOCKETS; i++) {
        const uint8_t sizes[2] = {port->rx_kib[i], port->tx_kib[i]};

        nd__w5500_write(port, ND__W5500_REGISTERS, i, ND__W5500_SN_SIZES, sizes, sizeof sizes);
    }
}

int nd_w5500_init(struct nd_w5500 *port, const struct nd_w5500_cfg *cfg,
                  struct nd_w5500_slot *slots, uint32_t slot_count, uint8_t *stage,
                  uint32_t stage_bytes) {
    if (slot_count == 0 || stage_bytes < ND_W5500_STAGE_MIN || stage_bytes > UINT16_MAX) {
        return ND_E_ARG;
    }
    *port = (struct nd_w5500){.bus = cfg->bus,
                              .slots = slots,
                              .slot_count = slot_count,
                              .stage_bytes = (uint16_t)stage_bytes,
                              .version = "W5500, version 4"};
    if (!take_sizes(port, cfg)) {
        return ND_E_ARG;
    }
    port->next_port = cfg->first_port >= 1024 ? cfg->first_port : 49152;
    memcpy(port->ip, cfg->ip, sizeof port->ip);
    for (uint32_t i = 0; i < slot_count; i++) {
        slots[i] = (struct nd_w5500_slot){.port = port, .stage = stage + i * stage_bytes};
    }
    if (!reset_chip(port)) {
        return ND_E_UNSUPPORTED;
    }
    configure(port, cfg);
    return ND_OK;
}

static const char *version(void *ctx) {
    return ((struct nd_w5500 *)ctx)->version;
}

/* ---- slots ---- */

struct nd_w5500_slot *nd__w5500_take_slot(struct nd_w5500 *port, uint8_t kind) {
    for (uint32_t i = 0; i < port->slot_count; i++) {
        struct nd_w5500_slot *slot = &port->slots[i];

        if (slot->kind == ND__W5500_NO_KIND) {
            *slot = (struct nd_w5500_slot){.port = port, .kind = kind, .stage = slot->stage};
            return slot;
        }
    }
    return NULL;
}

bool nd__w5500_is_own(const struct nd_w5500 *port, const struct nd_addr *at) {
    static const uint8_t any[4] = {0};

    return at->family == 0 || (at->family == 4 && (memcmp(at->ip, any, sizeof any) == 0 ||
                                                   memcmp(at->ip, port->ip, sizeof any) == 0));
}

void nd__w5500_fail(struct nd_w5500_slot *slot, int result) {
    slot->status = (int8_t)result;
    slot->cause = 0x10000 + slot->socket->seen * 0x100 + slot->socket->state;
}

/* ---- the step ---- */

/* What the chip says of a socket goes to whose it is. */
static void tell(struct nd_w5500 *port, struct nd_w5500_socket *socket) {
    switch (socket->use) {
    case ND__W5500_LISTENS:
        nd__w5500_listened(port, socket);
        break;
    case ND__W5500_CARRIES:
        nd__w5500_carried(socket);
        break;
    case ND__W5500_DATAGRAMS:
        nd__w5500_datagrams_looked(port, socket);
        break;
    case ND__W5500_LINGERS:
        if (socket->gone || socket->rx_there > 0) {
            nd__w5500_abort(port, socket); /* nobody will read it */
        }
        break;
    default:
        break;
    }
}

static bool is_cold(const struct nd_w5500_socket *socket) {
    return socket->use != ND__W5500_FREE && !socket->hot && !socket->gone;
}

/* No flag tells of a reset: ask one connection after another, a step each. */
static void watch_one(struct nd_w5500 *port) {
    struct nd_w5500_socket *socket;
    uint8_t state;

    port->watched = (uint8_t)((port->watched + 1u) % ND_W5500_SOCKETS);
    socket = &port->sockets[port->watched];
    if (is_cold(socket) && socket->use != ND__W5500_LISTENS && socket->use != ND__W5500_DATAGRAMS) {
        nd__w5500_read(port, ND__W5500_REGISTERS, port->watched, ND__W5500_SN_STATE, &state, 1);
        socket->hot = state != socket->state;
    }
}

/* Sockets that rest are asked all at once. */
static void find_awake(struct nd_w5500 *port) {
    uint8_t flags = 0;
    bool any_cold = false;

    for (unsigned i = 0; i < ND_W5500_SOCKETS; i++) {
        any_cold = any_cold || is_cold(&port->sockets[i]);
    }
    if (any_cold) {
        nd__w5500_read(port, ND__W5500_COMMON, 0, ND__W5500_INTERRUPTS, &flags, 1);
        watch_one(port);
    }
    for (unsigned i = 0; i < ND_W5500_SOCKETS; i++) {
        if (is_cold(&port->sockets[i]) && (flags & 1u << i) != 0) {
            port->sockets[i].hot = port->sockets[i].woken = true;
        }
    }
}

/* Look at one socket and send what it holds back. ND_STEP_AGAIN when another look is due. */
static unsigned attend(struct nd_w5500 *port, struct nd_w5500_socket *socket) {
    if (socket->hot) {
        if (nd__w5500_look(port, socket)) {
            tell(port, socket);
        }
    }
    if (socket->use == ND__W5500_FREE) {
        return 0;
    }
    nd__w5500_flush(port, socket);
    return socket->busy || socket->returning || (socket->hot && socket->flags != 0) ? ND_STEP_AGAIN
                                                                                    : 0;
}

static unsigned events(const struct nd_w5500 *port) {
    unsigned events = nd__w5500_caller_waits(port) ? ND_STEP_ACCEPT : 0;

    for (uint32_t i = 0; i < port->slot_count; i++) {
        const struct nd_w5500_slot *slot = &port->slots[i];

        if (slot->kind == ND__W5500_SOCKET && nd__w5500_datagram_waits(slot)) {
            events |= ND_STEP_DATAGRAM;
        }
    }
    return events;
}

static unsigned step(void *ctx) {
    struct nd_w5500 *port = ctx;
    unsigned again = 0;

    find_awake(port);
    for (unsigned i = 0; i < ND_W5500_SOCKETS; i++) {
        if (port->sockets[i].use != ND__W5500_FREE) {
            again |= attend(port, &port->sockets[i]);
        }
    }
    for (uint32_t i = 0; i < port->slot_count; i++) {
        if (port->slots[i].kind == ND__W5500_LISTENER) {
            nd__w5500_rearm(&port->slots[i]);
        }
    }
    return again | events(port);
}

/* ---- calls that serve every kind ---- */

static bool rx_done(struct nd_conn *conn, uint32_t len) {
    struct nd_w5500_slot *slot = nd__w5500_slot(conn);

    if (slot->kind == ND__W5500_SOCKET) {
        nd__w5500_udp_rx_done(slot);
        return nd__w5500_datagram_waits(slot);
    }
    slot->stage_first = (uint16_t)(slot->stage_first + len);
    return nd__w5500_staged(slot) > 0 || slot->socket->rx_there > 0 || slot->socket->fin_seen ||
           slot->status != ND_OK;
}

static void close_slot(struct nd_conn *conn) {
    struct nd_w5500_slot *slot = nd__w5500_slot(conn);

    switch (slot->kind) {
    case ND__W5500_LISTENER:
        nd__w5500_listener_close(slot);
        break;
    case ND__W5500_CONNECTION:
        nd__w5500_tcp_close(slot);
        break;
    default:
        nd__w5500_udp_close(slot);
        break;
    }
    slot->kind = ND__W5500_NO_KIND;
}

static void info(struct nd_conn *conn, struct nd_conn_info *info) {
    const struct nd_w5500_slot *slot = nd__w5500_slot(conn);
    const struct nd_w5500_socket *socket = slot->socket;

    *info = (struct nd_conn_info){
        .local = {.family = 4, .port = slot->local_port},
        .mss_bytes = ND_NOT_SUPPORTED,
        .unacked_bytes = ND_NOT_SUPPORTED,
    };
    memcpy(info->local.ip, slot->port->ip, sizeof slot->port->ip);
    if (slot->kind != ND__W5500_CONNECTION) {
        return;
    }
    info->peer = (struct nd_addr){.family = 4, .port = socket->peer_port};
    memcpy(info->peer.ip, socket->peer_ip, sizeof socket->peer_ip);
    info->mss_bytes = MSS_BYTES;
    if (slot->status == ND_OK) {
        info->unacked_bytes = nd__w5500_unacknowledged(slot->port, socket);
    }
}

static int32_t cause(struct nd_conn *conn) {
    return nd__w5500_slot(conn)->cause;
}

const struct nd_port nd_port_w5500 = {
    .abi = ND_PORT_ABI,
    .can = ND_PORT_TCP | ND_PORT_UDP,
    .name = "w5500",
    .version = version,
    .step = step,
    .listen = nd__w5500_listen,
    .accept = nd__w5500_accept,
    .connect = nd__w5500_connect,
    .status = nd__w5500_status,
    .tx = nd__w5500_tx,
    .rx = nd__w5500_rx,
    .rx_done = rx_done,
    .end = nd__w5500_end,
    .udp_open = nd__w5500_udp_open,
    .udp_tx = nd__w5500_udp_tx,
    .udp_rx = nd__w5500_udp_rx,
    .close = close_slot,
    .info = info,
    .cause = cause,
};

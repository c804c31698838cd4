/* SPDX-License-Identifier: BSD-3-Clause */
/* picotcp.c - the port: its table, its slots, and the calls that all kinds of slots share. */
#include "picotcp.h"

#include <string.h>

#include "conn.h"
#include "open.h"
#include "tcp.h"
#include "udp.h"

#define STAGE_BYTES_MIN 64u
#define STAGE_BYTES_MAX 65528u
#define STAGE_ALIGN     8u

/* Of those that the port chooses (RFC 6335). */
#define FIRST_PORT 49152u

int nd_picotcp_init(struct nd_picotcp *port, const struct nd_picotcp_cfg *cfg) {
    if (cfg->conn_count == 0 || cfg->stage_bytes < STAGE_BYTES_MIN ||
        cfg->stage_bytes > STAGE_BYTES_MAX || cfg->stage_bytes % STAGE_ALIGN != 0) {
        return ND_E_ARG;
    }
    *port = (struct nd_picotcp){.conns = cfg->conns,
                                .conn_count = cfg->conn_count,
                                .stage_bytes = (uint16_t)cfg->stage_bytes,
                                .next_port = FIRST_PORT};
    memset(cfg->conns, 0, cfg->conn_count * sizeof cfg->conns[0]);
    for (uint32_t i = 0; i < cfg->stage_count; i++) {
        uint8_t *stage = cfg->stages + i * cfg->stage_bytes;

        memcpy(stage, &port->stages, sizeof port->stages);
        port->stages = stage;
    }
    return ND_OK;
}

bool nd_picotcp_wants_tick(struct nd_picotcp *port) {
    bool touched = port->touched;

    port->touched = false;
    return touched;
}

/* ---- slots --------------------------------------------------------------------------- */

static struct nd_picotcp_conn *free_slot(struct nd_picotcp *port) {
    for (uint32_t i = 0; i < port->conn_count; i++) {
        if (port->conns[i].kind == ND__PICOTCP_FREE) {
            return &port->conns[i];
        }
    }
    return NULL;
}

struct nd_picotcp_conn *nd__picotcp_take(struct nd_picotcp *port, uint8_t kind) {
    struct nd_picotcp_conn *conn = free_slot(port);

    if (conn == NULL || (kind == ND__PICOTCP_TCP && port->stages == NULL)) {
        return NULL;
    }
    memset(conn, 0, sizeof *conn);
    conn->port = port;
    conn->kind = kind;
    if (kind == ND__PICOTCP_TCP) {
        conn->stage = port->stages;
        memcpy(&port->stages, conn->stage, sizeof port->stages);
    }
    return conn;
}

void nd__picotcp_free(struct nd_picotcp_conn *conn) {
    struct nd_picotcp *port = conn->port;

    if (conn->stage != NULL) {
        memcpy(conn->stage, &port->stages, sizeof port->stages);
        port->stages = conn->stage;
    }
    conn->kind = ND__PICOTCP_FREE;
}

void nd__picotcp_detach(struct nd_picotcp_conn *conn) {
    conn->socket->priv = NULL;
    conn->socket->wakeup = NULL;
    conn->socket = NULL;
}

/* ---- results and addresses ------------------------------------------------------------ */

int nd__picotcp_result(pico_err_t err) {
    switch (err) {
    case PICO_ERR_ENOMEM:
        return ND_E_MEMORY;
    case PICO_ERR_EADDRINUSE:
        return ND_E_IN_USE;
    case PICO_ERR_ECONNREFUSED:
        return ND_E_REFUSED;
    case PICO_ERR_ECONNRESET:
        return ND_E_RESET;
    case PICO_ERR_ETIMEDOUT:
        return ND_E_TIMEOUT;
    case PICO_ERR_EHOSTUNREACH:
    case PICO_ERR_ENETUNREACH:
    case PICO_ERR_EHOSTDOWN:
    case PICO_ERR_ENETDOWN:
    case PICO_ERR_ENONET:
        return ND_E_UNREACHABLE;
    case PICO_ERR_EINVAL:
    case PICO_ERR_EADDRNOTAVAIL:
        return ND_E_ARG;
    default:
        return ND_E_STACK;
    }
}

int nd__picotcp_failed(struct nd_picotcp_conn *conn) {
    conn->cause = (uint16_t)pico_err;
    return nd__picotcp_result(pico_err);
}

bool nd__picotcp_ip(const struct nd_addr *addr, struct pico_ip4 *ip) {
    ip->addr = PICO_IP4_ANY;
    if (addr->family == 4) {
        memcpy(ip, addr->ip, sizeof *ip);
    }
    return addr->family == 4 || addr->family == 0;
}

struct nd_addr nd__picotcp_addr(const struct pico_ip4 *ip, uint16_t port) {
    struct nd_addr addr = {.family = 4, .port = short_be(port)};

    memcpy(addr.ip, ip, sizeof *ip);
    return addr;
}

/* picoTCP would take one at random, and looks for it in the wrong byte order. */
uint16_t nd__picotcp_choose_port(struct nd_picotcp *port, uint16_t protocol) {
    uint16_t number;

    do {
        number = port->next_port;
        port->next_port = (uint16_t)(number == UINT16_MAX ? FIRST_PORT : number + 1u);
    } while (pico_get_sockport(protocol, short_be(number)) != NULL);
    return number;
}

/* ---- the table ------------------------------------------------------------------------ */

static const char *version(void *ctx) {
    (void)ctx;
    return "picoTCP"; /* it has no number that a program could ask for */
}

static unsigned step(void *ctx) {
    const struct nd_picotcp *port = ctx;

    return (port->waiting > 0 ? ND_STEP_ACCEPT : 0) | (port->readable > 0 ? ND_STEP_DATAGRAM : 0);
}

static int status(struct nd_conn *conn) {
    return nd__picotcp_conn(conn)->status;
}

static bool rx_done(struct nd_conn *handle, uint32_t len) {
    struct nd_picotcp_conn *conn = nd__picotcp_conn(handle);

    if (conn->kind == ND__PICOTCP_TCP) {
        return nd__picotcp_tcp_rx_done(conn, len);
    }
    nd__picotcp_udp_rx_done(conn);
    return conn->readable;
}

static void close_conn(struct nd_conn *handle) {
    struct nd_picotcp_conn *conn = nd__picotcp_conn(handle);

    switch (conn->kind) {
    case ND__PICOTCP_TCP:
        nd__picotcp_tcp_close(conn);
        break;
    case ND__PICOTCP_LISTENER:
        nd__picotcp_listener_close(conn);
        break;
    default:
        nd__picotcp_udp_close(conn);
        break;
    }
    conn->port->touched = true;
    nd__picotcp_free(conn);
}

/* picoTCP keeps to itself what is in flight. */
static void info(struct nd_conn *handle, struct nd_conn_info *info) {
    const struct nd_picotcp_conn *conn = nd__picotcp_conn(handle);

    info->local = conn->local;
    info->peer = conn->peer;
    info->mss_bytes = -1;
    info->unacked_bytes = -1;
    if (conn->kind == ND__PICOTCP_TCP && conn->socket != NULL) {
        info->mss_bytes = (int32_t)nd__picotcp_payload(conn->socket);
    }
}

static int32_t cause(struct nd_conn *conn) {
    return nd__picotcp_conn(conn)->cause;
}

const struct nd_port nd_port_picotcp = {
    .abi = ND_PORT_ABI,
    .can = ND_PORT_TCP | ND_PORT_UDP,
    .name = "picotcp",
    .version = version,
    .step = step,
    .listen = nd__picotcp_listen,
    .accept = nd__picotcp_accept,
    .connect = nd__picotcp_connect,
    .status = status,
    .tx = nd__picotcp_tx,
    .rx = nd__picotcp_rx,
    .rx_done = rx_done,
    .end = nd__picotcp_end,
    .udp_open = nd__picotcp_udp_open,
    .udp_tx = nd__picotcp_udp_tx,
    .udp_rx = nd__picotcp_udp_rx,
    .close = close_conn,
    .info = info,
    .cause = cause,
};

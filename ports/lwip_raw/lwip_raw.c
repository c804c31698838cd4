/* SPDX-License-Identifier: BSD-3-Clause */
/* lwip_raw.c - the port: its table, its slots, and the calls that all kinds of slots share. */
#include "lwip_raw.h"

#include <stddef.h>
#include <string.h>

#include "lwip/init.h"

#include "conn.h"
#include "open.h"
#include "tcp.h"
#include "udp.h"

#if !NO_SYS || !LWIP_IPV4 || !LWIP_TCP || !LWIP_CALLBACK_API
/* cppcheck-suppress preprocessorErrorDirective ; it tries configurations that nobody builds */
#error "lwip_raw needs NO_SYS 1, LWIP_IPV4 1, LWIP_TCP 1 and LWIP_CALLBACK_API 1 in lwipopts.h"
#endif

void nd_lwip_raw_init(struct nd_lwip_raw *port, struct nd_lwip_raw_conn *conns, uint32_t count) {
    *port = (struct nd_lwip_raw){.conns = conns, .conn_count = count};
    memset(conns, 0, count * sizeof(conns[0]));
}

struct nd_lwip_raw_conn *nd__lwip_raw_take(struct nd_lwip_raw *port, uint8_t kind) {
    for (uint32_t i = 0; i < port->conn_count; i++) {
        struct nd_lwip_raw_conn *conn = &port->conns[i];

        if (conn->kind == ND__LWIP_RAW_FREE) {
            memset(conn, 0, sizeof(*conn));
            conn->port = port;
            conn->kind = kind;
            return conn;
        }
    }
    return NULL;
}

int nd__lwip_raw_result(err_t err) {
    switch (err) {
    case ERR_OK:
        return ND_OK;
    case ERR_MEM:
    case ERR_BUF:
        return ND_E_MEMORY;
    case ERR_TIMEOUT:
        return ND_E_TIMEOUT;
    case ERR_RTE:
    case ERR_IF:
        return ND_E_UNREACHABLE;
    case ERR_USE:
        return ND_E_IN_USE;
    case ERR_VAL:
    case ERR_ARG:
        return ND_E_ARG;
    case ERR_CONN:
    case ERR_ISCONN:
    case ERR_ALREADY:
        return ND_E_STATE;
    default:
        return ND_E_STACK;
    }
}

bool nd__lwip_raw_ip(const struct nd_addr *addr, ip_addr_t *ip) {
    static const uint8_t any[4];

    if (addr->family != 4 && addr->family != 0) {
        return false;
    }
    memset(ip, 0, sizeof(*ip));
    IP_SET_TYPE(ip, IPADDR_TYPE_V4);
    memcpy(&ip_2_ip4(ip)->addr, addr->family == 4 ? addr->ip : any, sizeof(any));
    return true;
}

struct nd_addr nd__lwip_raw_addr(const struct nd_lwip_raw_end *end) {
    struct nd_addr addr = {.family = 4, .port = end->port};

    memcpy(addr.ip, &ip_2_ip4(&end->ip)->addr, sizeof(ip_2_ip4(&end->ip)->addr));
    return addr;
}

static const char *version(void *ctx) {
    (void)ctx;
    return "lwIP " LWIP_VERSION_STRING;
}

static unsigned step(void *ctx) {
    struct nd_lwip_raw *port = ctx;

    if (port->dirty != NULL) {
        nd__lwip_raw_tcp_flush(port);
    }
    return port->events;
}

static int status(struct nd_conn *conn) {
    return nd__lwip_raw_conn(conn)->status;
}

static bool rx_done(struct nd_conn *handle, uint32_t len) {
    struct nd_lwip_raw_conn *conn = nd__lwip_raw_conn(handle);

    if (conn->kind == ND__LWIP_RAW_TCP) {
        return nd__lwip_raw_tcp_rx_done(conn, len);
    }
#if LWIP_UDP
    nd__lwip_raw_udp_rx_done(conn);
    return conn->udp.count > 0;
#else
    return false;
#endif
}

static void close_conn(struct nd_conn *handle) {
    struct nd_lwip_raw_conn *conn = nd__lwip_raw_conn(handle);

    switch (conn->kind) {
    case ND__LWIP_RAW_TCP:
        nd__lwip_raw_tcp_close(conn);
        break;
    case ND__LWIP_RAW_LISTENER:
        nd__lwip_raw_listener_close(conn);
        break;
    default:
#if LWIP_UDP
        nd__lwip_raw_udp_close(conn);
#endif
        break;
    }
}

static void info(struct nd_conn *handle, struct nd_conn_info *info) {
    const struct nd_lwip_raw_conn *conn = nd__lwip_raw_conn(handle);

    info->local = nd__lwip_raw_addr(&conn->local);
    info->peer = nd__lwip_raw_addr(&conn->peer);
    info->mss_bytes = -1;
    info->unacked_bytes = -1;
    if (conn->kind == ND__LWIP_RAW_TCP) {
        nd__lwip_raw_tcp_info(conn, info);
    }
}

static int32_t cause(struct nd_conn *conn) {
    return nd__lwip_raw_conn(conn)->cause;
}

const struct nd_port nd_port_lwip_raw = {
    .abi = ND_PORT_ABI,
    .can = ND_PORT_TCP | ND_PORT_TX_STATIC | (LWIP_UDP ? ND_PORT_UDP : 0),
    .name = "lwip-raw",
    .version = version,
    .step = step,
    .listen = nd__lwip_raw_listen,
    .accept = nd__lwip_raw_accept,
    .connect = nd__lwip_raw_connect,
    .status = status,
    .tx = nd__lwip_raw_tx,
    .rx = nd__lwip_raw_rx,
    .rx_done = rx_done,
    .end = nd__lwip_raw_end,
#if LWIP_UDP
    .udp_open = nd__lwip_raw_udp_open,
    .udp_tx = nd__lwip_raw_udp_tx,
    .udp_rx = nd__lwip_raw_udp_rx,
#endif
    .close = close_conn,
    .info = info,
    .cause = cause,
};

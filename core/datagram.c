/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/datagram.h"

#include "pattern.h"
#include "stream.h"
#include "udp_guard.h"

/* Longest answer of chargen [byte], as RFC 864. */
#define CHARGEN_MAX 512u

static struct nd_datagram_server *server_of(struct nd_session *session) {
    return (struct nd_datagram_server *)session;
}

static void stop(struct nd_session *session, int why) {
    struct nd_datagram_server *server = server_of(session);
    struct nd_report report = {
        .role = "server",
        .last = true,
        .result = why == ND_E_STOPPED ? ND_OK : why,
        .flow = server->flow,
        .begin = server->begin,
        .tail_ticks = ND_NOT_SUPPORTED,
        .tx_datagrams = server->tx_datagrams,
        .rx_datagrams = server->rx_datagrams,
        .tx_failures = server->tx_failures,
    };

    nd_session_report(session, &report);
    nd_session_leave(session);
}

/* What goes back for len bytes: *bytes is changed to it. */
static uint32_t make_answer(struct nd_datagram_server *server, const void **bytes, uint32_t len) {
    if (server->kind == ND_DATAGRAM_ECHO) {
        return len;
    }
    *bytes = nd__pattern + server->offset;
    server->offset = server->offset + 1 == ND__PATTERN_PERIOD ? 0 : server->offset + 1;
    return len < CHARGEN_MAX ? len : CHARGEN_MAX;
}

static void answer(struct nd_datagram_server *server, const struct nd_addr *to, const void *bytes,
                   uint32_t len) {
    const struct nd_port *port = server->session.agent->cfg.port;

    if (server->kind == ND_DATAGRAM_DISCARD) {
        return;
    }
    if (!nd__udp_guard_allows(to)) {
        server->refused++;
        return;
    }
    len = make_answer(server, &bytes, len);
    if (port->udp_tx(server->session.conn, to, bytes, len, 0) > 0) {
        server->tx_datagrams++;
        nd_session_moved(&server->session, &server->flow.tx, len);
    } else {
        server->tx_failures++;
    }
}

static bool poll(struct nd_session *session) {
    struct nd_datagram_server *server = server_of(session);
    const struct nd_port *port = session->agent->cfg.port;
    uint32_t taken = 0;
    struct nd_addr from;
    const void *bytes;
    int32_t n;

    while (taken < ND_CFG_POLL_BYTES && (n = port->udp_rx(session->conn, &from, &bytes)) > 0) {
        server->rx_datagrams++;
        nd_session_moved(session, &server->flow.rx, (uint32_t)n);
        answer(server, &from, bytes, (uint32_t)n);
        port->rx_done(session->conn, (uint32_t)n);
        taken += (uint32_t)n;
    }
    return taken >= ND_CFG_POLL_BYTES;
}

static const struct nd_session_class kinds[] = {
    [ND_DATAGRAM_ECHO] = {.engine = "udp-echo", .poll = poll, .stop = stop},
    [ND_DATAGRAM_DISCARD] = {.engine = "udp-discard", .poll = poll, .stop = stop},
    [ND_DATAGRAM_CHARGEN] = {.engine = "udp-chargen", .poll = poll, .stop = stop},
};

int nd_datagram_serve(struct nd_datagram_server *server, struct nd_agent *agent,
                      enum nd_datagram_kind kind, const struct nd_addr *at) {
    const struct nd_port *port = agent->cfg.port;
    struct nd_conn_info info;
    struct nd_conn *socket;
    int result;

    if (port->udp_open == NULL) {
        return ND_E_UNSUPPORTED;
    }
    result = port->udp_open(agent->cfg.port_ctx, at, &socket);
    if (result != ND_OK) {
        return result;
    }
    port->info(socket, &info);
    *server = (struct nd_datagram_server){.kind = kind, .at = info.local, .begin = agent->now};
    nd_session_listen(&server->session, &kinds[kind], agent, socket);
    return ND_OK;
}

void nd_datagram_close(struct nd_datagram_server *server) {
    if (server->session.number != 0) {
        stop(&server->session, ND_E_STOPPED);
    }
}

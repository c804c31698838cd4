/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/chargen.h"
#include "pattern.h"
#include "stream.h"

/* Where the stack had no room for a request: try again then [ns]. */
#define ROOM_NS 1000000u

static struct nd_chargen_client *client_of(struct nd_session *session) {
    return (struct nd_chargen_client *)session;
}

static void finish(struct nd_chargen_client *client, int result) {
    const struct nd_sequence datagrams = {
        .datagrams = client->answered,
        .bytes = client->flow.rx.bytes,
        .expected = client->answered + client->lost,
        .lost = client->lost,
        .late = client->late,
        .sent_ns = ND_NOT_SUPPORTED,
        .jitter_ns = ND_NOT_SUPPORTED,
    };
    bool udp = client->cfg.udp;
    struct nd_report report = {
        .role = "client",
        .phase = "rx",
        .last = true,
        .result = result,
        .peer = client->cfg.to,
        .expected_bytes = !udp && client->cfg.count != UINT64_MAX ? client->cfg.count : 0,
        .flow = client->flow,
        .begin = client->begin,
        .tail_ticks = ND_NOT_SUPPORTED,
        .buflen = udp ? client->cfg.request_bytes : 0,
        .datagrams = udp ? &datagrams : NULL,
        .tx_datagrams = client->asked,
    };

    nd_session_report(&client->session, &report);
    nd_session_leave(&client->session);
}

static void stop(struct nd_session *session, int why) {
    finish(client_of(session), why);
}

static bool is_over(const struct nd_chargen_client *client) {
    uint64_t had = client->cfg.udp ? client->answered + client->lost : client->flow.rx.bytes;

    return had >= client->cfg.count || client->session.agent->now >= client->until;
}

static void begin(struct nd_chargen_client *client) {
    const struct nd_agent *agent = client->session.agent;
    uint64_t ns = client->cfg.duration_ns;

    client->begin = agent->now;
    client->until = ns > 0 ? agent->now + nd_clock_ticks(ns, agent->cfg.clock->hz) : UINT64_MAX;
    client->connected = true;
    client->session.wake = client->until;
}

/* ---- TCP ----------------------------------------------------------------------------- */

static bool poll_tcp(struct nd_session *session) {
    struct nd_chargen_client *client = client_of(session);
    int32_t n = ND_AGAIN;

    if (!client->connected) {
        n = session->agent->cfg.port->status(session->conn);
        if (n == ND_OK) {
            begin(client);
            return true;
        }
    } else if (!is_over(client)) {
        n = nd__stream_take(
            session, &client->flow.rx,
            nd__stream_min(client->cfg.count - client->flow.rx.bytes, ND_CFG_POLL_BYTES));
    } else {
        finish(client, ND_OK);
        return true;
    }
    if (n > 0 || n == ND_AGAIN) {
        return n > 0;
    }
    finish(client, n == ND_EOF ? (int32_t)ND_E_SHORT : n);
    return true;
}

static const struct nd_session_class tcp_kind = {
    .engine = "chargen", .poll = poll_tcp, .stop = stop};

/* ---- UDP ----------------------------------------------------------------------------- */

/* Requests bear no number, and answers cannot: one that comes too late looks like the next. Only
 * what comes while nothing is asked for is known to be late. */
static void receive(struct nd_chargen_client *client) {
    const struct nd_port *port = client->session.agent->cfg.port;
    struct nd_addr from;
    const void *bytes;
    int32_t n;

    while ((n = port->udp_rx(client->session.conn, &from, &bytes)) > 0) {
        if (nd_addr_equal(&from, &client->cfg.to)) {
            nd_session_moved(&client->session, &client->flow.rx, (uint32_t)n);
            client->answered += client->asking;
            client->late += !client->asking;
            client->asking = false;
        }
        port->rx_done(client->session.conn, (uint32_t)n);
    }
}

static uint64_t later(const struct nd_chargen_client *client, uint64_t ns) {
    const struct nd_agent *agent = client->session.agent;

    return agent->now + nd_clock_ticks(ns, agent->cfg.clock->hz);
}

static bool ask(struct nd_chargen_client *client) {
    struct nd_session *session = &client->session;
    int32_t n = session->agent->cfg.port->udp_tx(session->conn, &client->cfg.to, nd__pattern,
                                                 client->cfg.request_bytes, ND_TX_STATIC);

    if (n == ND_AGAIN) {
        session->wake = later(client, ROOM_NS);
        return false;
    }
    if (n < 0) {
        finish(client, n);
        return true;
    }
    client->asking = true;
    client->asked++;
    client->give_up = later(client, ND_CHARGEN_TIMEOUT_MS * (uint64_t)1000000u);
    nd_session_moved(session, &client->flow.tx, (uint32_t)n);
    session->wake = client->give_up;
    return false;
}

static bool poll_udp(struct nd_session *session) {
    struct nd_chargen_client *client = client_of(session);

    receive(client);
    if (client->asking) {
        session->wake = client->give_up;
        if (session->agent->now < client->give_up) {
            return false;
        }
        client->asking = false;
        client->lost++;
    }
    if (is_over(client)) {
        finish(client, client->answered > 0 ? ND_OK : ND_E_TIMEOUT);
        return true;
    }
    return ask(client);
}

static const struct nd_session_class udp_kind = {
    .engine = "chargen", .poll = poll_udp, .stop = stop};

/* ---- both ---------------------------------------------------------------------------- */

static void set_defaults(struct nd_chargen_client_cfg *cfg) {
    if (cfg->to.port == 0) {
        cfg->to.port = ND_CHARGEN_PORT;
    }
    if (cfg->count == 0 && cfg->duration_ns == 0) {
        cfg->duration_ns = ND_CHARGEN_SECONDS * (uint64_t)1000000000u;
    }
    if (cfg->count == 0) {
        cfg->count = UINT64_MAX;
    }
    if (cfg->request_bytes == 0) {
        cfg->request_bytes = ND_CHARGEN_REQUEST_BYTES;
    }
}

static int open(const struct nd_chargen_client *client, struct nd_agent *agent,
                struct nd_conn **conn) {
    const struct nd_port *port = agent->cfg.port;
    const struct nd_addr any = {0};

    if (!client->cfg.udp) {
        return port->connect(agent->cfg.port_ctx, &client->cfg.to, conn);
    }
    return port->udp_open != NULL ? port->udp_open(agent->cfg.port_ctx, &any, conn)
                                  : ND_E_UNSUPPORTED;
}

int nd_chargen_connect(struct nd_chargen_client *client, struct nd_agent *agent,
                       const struct nd_chargen_client_cfg *cfg) {
    struct nd_conn *conn;
    int result;

    if (client->session.number != 0) {
        return ND_E_STATE;
    }
    if (cfg->request_bytes > ND_CHARGEN_REQUEST_MAX) {
        return ND_E_ARG;
    }
    *client = (struct nd_chargen_client){.cfg = *cfg, .begin = agent->now};
    set_defaults(&client->cfg);
    result = open(client, agent, &conn);
    if (result == ND_OK) {
        nd_session_join(&client->session, cfg->udp ? &udp_kind : &tcp_kind, agent, conn);
        if (cfg->udp) {
            client->session.patient = true; /* silence has its own limit */
            begin(client);
        }
    }
    return result;
}

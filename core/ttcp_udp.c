/* SPDX-License-Identifier: BSD-3-Clause */
#include "ttcp.h"

#include "pattern.h"
#include "stream.h"

/* A datagram of so many bytes at most is a mark. */
#define MARK_BYTES 4u

/* Marks of a transmitter: one begins, one ends, four in case that one is lost. */
#define MARKS 6u

/* Between the marks at the end, so that one full queue does not take them all [ns]. */
#define MARK_NS 2000000u

/* Where the stack had no room: try again then [ns]. */
#define ROOM_NS 1000000u

/* A receiver overhears the marks that follow the end for so long [ns]. */
#define LINGER_NS 500000000u

static struct nd_ttcp *ttcp_of(struct nd_session *session) {
    return (struct nd_ttcp *)session;
}

static uint64_t later(const struct nd_ttcp *ttcp, uint32_t ns) {
    const struct nd_agent *agent = ttcp->session.agent;

    return agent->now + nd_clock_ticks(ns, agent->cfg.clock->hz);
}

static void report(struct nd_ttcp *ttcp, int result) {
    bool transmit = ttcp->cfg.transmit;
    struct nd_report report = {
        .role = transmit ? "client" : "server",
        .phase = transmit ? "tx" : "rx",
        .last = true,
        .result = result,
        .peer = transmit ? ttcp->cfg.addr : ttcp->peer,
        .expected_bytes =
            transmit && ttcp->cfg.duration_ns == 0 ? ttcp->cfg.nbuf * ttcp->cfg.buflen : 0,
        .flow = ttcp->flow,
        .begin = ttcp->begin,
        .end = transmit ? ttcp->flow.tx.last : ttcp->flow.rx.last, /* marks are no part of it */
        .tail_ticks = ND_NOT_SUPPORTED,
        .buflen = ttcp->cfg.buflen,
        .tx_datagrams = transmit ? ttcp->datagrams : 0,
        .rx_datagrams = transmit ? 0 : ttcp->datagrams,
        .tx_failures = ttcp->failures,
    };

    nd_session_report(&ttcp->session, &report);
}

/* ---- transmit ------------------------------------------------------------------------ */

static void finish_transmit(struct nd_ttcp *ttcp, int result) {
    report(ttcp, result);
    nd_session_leave(&ttcp->session);
}

static void stop_transmit(struct nd_session *session, int why) {
    finish_transmit(ttcp_of(session), why);
}

/* A count, ND_AGAIN with the time of the next attempt set, or the error. */
static int32_t send(struct nd_ttcp *ttcp, uint32_t len) {
    int32_t n = ttcp->session.agent->cfg.port->udp_tx(ttcp->session.conn, &ttcp->cfg.addr,
                                                      nd__pattern, len, ND_TX_STATIC);

    if (n == ND_AGAIN) {
        ttcp->failures++;
        ttcp->session.wake = later(ttcp, ROOM_NS);
    }
    return n;
}

static int32_t send_mark(struct nd_ttcp *ttcp) {
    int32_t n = send(ttcp, MARK_BYTES);

    if (n > 0) {
        ttcp->marks++;
    }
    return n;
}

static bool is_sent(const struct nd_ttcp *ttcp) {
    return ttcp->left_bytes == 0 || ttcp->session.agent->now >= ttcp->until;
}

/* True when the next datagram is due. Each is counted from the one before it as that was due, not
 * as it left; one that the stack has no room for waits for its next turn. */
static bool is_due(struct nd_ttcp *ttcp) {
    uint64_t now = ttcp->session.agent->now;

    if (ttcp->cfg.gap_ns == 0) {
        return true;
    }
    if (ttcp->datagrams == 0) {
        ttcp->due = now;
    }
    if (now < ttcp->due) {
        ttcp->session.wake = ttcp->due;
        return false;
    }
    ttcp->due += nd_clock_ticks(ttcp->cfg.gap_ns, ttcp->session.agent->cfg.clock->hz);
    return true;
}

static int32_t send_data(struct nd_ttcp *ttcp) {
    uint32_t sent = 0;
    int32_t n = ND_AGAIN;

    while (sent < ND_CFG_POLL_BYTES && ttcp->left_bytes > 0 && is_due(ttcp)) {
        n = send(ttcp, ttcp->cfg.buflen);
        if (n < 0) {
            break;
        }
        ttcp->left_bytes -= ttcp->cfg.buflen;
        ttcp->datagrams++;
        sent += ttcp->cfg.buflen;
    }
    if (sent > 0) {
        nd_session_moved(&ttcp->session, &ttcp->flow.tx, sent);
    }
    return n;
}

/* The marks behind the data, one at a time. */
static int32_t send_end(struct nd_ttcp *ttcp) {
    int32_t n;

    if (ttcp->ending && ttcp->session.agent->now < ttcp->session.wake) {
        return ND_AGAIN;
    }
    if (ttcp->marks == MARKS) {
        return ND_OK;
    }
    n = send_mark(ttcp);
    if (n > 0) {
        ttcp->ending = true;
        ttcp->session.wake = later(ttcp, MARK_NS);
        return ND_AGAIN;
    }
    return n;
}

static bool poll_transmit(struct nd_session *session) {
    struct nd_ttcp *ttcp = ttcp_of(session);
    int32_t n;

    if (ttcp->marks == 0) {
        n = send_mark(ttcp);
    } else if (ttcp->ending || is_sent(ttcp)) {
        n = send_end(ttcp);
    } else {
        n = send_data(ttcp);
    }
    if (n > 0 || n == ND_AGAIN) {
        return n > 0;
    }
    finish_transmit(ttcp, n);
    return true;
}

static const struct nd_session_class transmitter_kind = {
    .engine = "ttcp", .poll = poll_transmit, .stop = stop_transmit};

/* ---- receive ------------------------------------------------------------------------- */

static bool poll_receive(struct nd_session *session);
static void stop_receive(struct nd_session *session, int why);

static const struct nd_session_class receiver_kind = {
    .engine = "ttcp", .poll = poll_receive, .stop = stop_receive};

static void await_sender(struct nd_ttcp *ttcp, struct nd_agent *agent, struct nd_conn *socket) {
    ttcp->flow = (struct nd_flow){0};
    ttcp->peer = (struct nd_addr){0};
    ttcp->marks = 0;
    ttcp->datagrams = 0;
    ttcp->ending = false;
    ttcp->connected = false;
    nd_session_join(&ttcp->session, &receiver_kind, agent, socket);
    ttcp->session.patient = true; /* silence has its own limit */
    ttcp->session.resident = ttcp->cfg.again;
}

/* The test is over; its last marks may still come. */
static void linger(struct nd_ttcp *ttcp) {
    ttcp->ending = true;
    ttcp->until = later(ttcp, LINGER_NS);
    ttcp->session.wake = ttcp->until;
}

static void leave_receive(struct nd_ttcp *ttcp) {
    struct nd_agent *agent = ttcp->session.agent;
    struct nd_conn *socket = ttcp->session.conn;

    if (!ttcp->cfg.again) {
        nd_session_leave(&ttcp->session);
        return;
    }
    ttcp->session.conn = NULL; /* stays open for the next sender */
    nd_session_leave(&ttcp->session);
    await_sender(ttcp, agent, socket);
}

static void stop_receive(struct nd_session *session, int why) {
    struct nd_ttcp *ttcp = ttcp_of(session);
    bool waits = !ttcp->connected;

    if (!ttcp->ending && (!waits || !ttcp->cfg.again)) {
        report(ttcp, why);
    }
    /* Stopped while it waits: it is this that is meant. */
    ttcp->cfg.again = ttcp->cfg.again && !waits;
    leave_receive(ttcp);
}

static void begin_receive(struct nd_ttcp *ttcp, const struct nd_addr *from) {
    ttcp->connected = true;
    ttcp->peer = *from;
    ttcp->begin = ttcp->session.agent->now;
    ttcp->session.resident = false;
}

/* A mark before any data begins the test, another ends it; data without a mark begin it, too. */
static void take(struct nd_ttcp *ttcp, const struct nd_addr *from, uint32_t len) {
    bool mark = len <= MARK_BYTES;
    bool begins = !ttcp->connected;

    if (begins) {
        begin_receive(ttcp, from);
    } else if (!nd_addr_equal(from, &ttcp->peer)) {
        return;
    }
    if (!mark) {
        ttcp->datagrams++;
        nd_session_moved(&ttcp->session, &ttcp->flow.rx, len);
        return;
    }
    ttcp->session.active = ttcp->session.agent->now;
    if (!begins) {
        report(ttcp, ND_OK);
        linger(ttcp);
    }
}

static bool receive(struct nd_ttcp *ttcp) {
    const struct nd_port *port = ttcp->session.agent->cfg.port;
    uint32_t taken = 0;
    struct nd_addr from;
    const void *bytes;
    int32_t n;

    while (taken < ND_CFG_POLL_BYTES && (n = port->udp_rx(ttcp->session.conn, &from, &bytes)) > 0) {
        if (!ttcp->ending) {
            take(ttcp, &from, (uint32_t)n);
        }
        port->rx_done(ttcp->session.conn, (uint32_t)n);
        taken += (uint32_t)n;
    }
    return taken >= ND_CFG_POLL_BYTES;
}

static bool poll_receive(struct nd_session *session) {
    struct nd_ttcp *ttcp = ttcp_of(session);
    uint64_t now = session->agent->now;
    bool again = receive(ttcp);

    if (ttcp->ending) {
        if (now >= ttcp->until) {
            leave_receive(ttcp);
        }
        return again;
    }
    session->wake = ttcp->connected ? session->active + ttcp->silence : UINT64_MAX;
    if (now >= session->wake) {
        report(ttcp, ND_E_TIMEOUT);
        linger(ttcp);
    }
    return again;
}

/* ---- both ---------------------------------------------------------------------------- */

int nd__ttcp_start_udp(struct nd_ttcp *ttcp, struct nd_agent *agent) {
    const struct nd_port *port = agent->cfg.port;
    const struct nd_ttcp_cfg *cfg = &ttcp->cfg;
    const struct nd_addr any = {0};
    uint32_t hz = agent->cfg.clock->hz;
    struct nd_conn *socket;
    int result;

    if (port->udp_open == NULL) {
        return ND_E_UNSUPPORTED;
    }
    if (cfg->transmit &&
        (cfg->buflen < ND_TTCP_DATAGRAM_MIN || cfg->buflen > ND_TTCP_DATAGRAM_MAX)) {
        return ND_E_ARG;
    }
    result = port->udp_open(agent->cfg.port_ctx, cfg->transmit ? &any : &cfg->addr, &socket);
    if (result != ND_OK) {
        return result;
    }
    if (!cfg->transmit) {
        ttcp->silence = nd_clock_ticks((uint64_t)ND_TTCP_SILENCE_MS * 1000000u, hz);
        await_sender(ttcp, agent, socket);
        return ND_OK;
    }
    ttcp->left_bytes =
        cfg->nbuf == 0 ? UINT64_MAX / cfg->buflen * cfg->buflen : cfg->nbuf * cfg->buflen;
    ttcp->until = UINT64_MAX;
    if (cfg->duration_ns > 0) {
        ttcp->until = agent->now + nd_clock_ticks(cfg->duration_ns, hz);
    }
    nd_session_join(&ttcp->session, &transmitter_kind, agent, socket);
    return ND_OK;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "ttcp.h"

#include "pattern.h"
#include "session.h"
#include "stream.h"

static bool poll_receive(struct nd_session *session);
static void stop(struct nd_session *session, int why);

static const struct nd_session_class receiver_kind = {
    .engine = "ttcp", .poll = poll_receive, .stop = stop};

/* Waiting is no test: nothing is counted, and only a receiver that serves once can be stopped. */
static void await_caller(struct nd_ttcp *ttcp, struct nd_agent *agent) {
    nd_session_join(&ttcp->session, &receiver_kind, agent, NULL);
    ttcp->session.patient = true;
    ttcp->session.resident = ttcp->cfg.again;
    ttcp->flow = (struct nd_flow){0};
    ttcp->begin = agent->now;
}

/* A receiver that serves again waits for its next caller; any other test is over. */
static void leave(struct nd_ttcp *ttcp) {
    struct nd_agent *agent = ttcp->session.agent;

    nd_session_leave(&ttcp->session);
    if (ttcp->service.listener == NULL) {
        return;
    }
    if (ttcp->cfg.again) {
        await_caller(ttcp, agent);
    } else {
        nd_service_close(&ttcp->service);
    }
}

static void finish(struct nd_ttcp *ttcp, int result, int64_t tail_ticks) {
    struct nd_report report = {
        .role = ttcp->cfg.transmit ? "client" : "server",
        .phase = ttcp->cfg.transmit ? "tx" : "rx",
        .last = true,
        .result = result,
        .expected_bytes = ttcp->cfg.transmit && ttcp->cfg.duration_ns == 0
                              ? ttcp->cfg.nbuf * ttcp->cfg.buflen
                              : 0,
        .flow = ttcp->flow,
        .begin = ttcp->begin,
        .tail_ticks = tail_ticks,
        .buflen = ttcp->cfg.buflen,
    };

    nd_session_report(&ttcp->session, &report);
    leave(ttcp);
}

static void stop(struct nd_session *session, int why) {
    struct nd_ttcp *ttcp = (struct nd_ttcp *)session;

    if (ttcp->session.resident) {
        ttcp->cfg.again = false;
        leave(ttcp);
        return;
    }
    finish(ttcp, why, ND_NO_SAMPLES);
}

/* ---- transmit ---------------------------------------------------------------------- */

static bool reached_end(const struct nd_ttcp *ttcp) {
    return ttcp->left_bytes == 0 || ttcp->session.agent->now >= ttcp->until;
}

/* Step on by n bytes, within the buffer and within the pattern; every buffer begins with the
 * pattern's first character. No division here. */
static void advance(struct nd_ttcp *ttcp, uint32_t n) {
    ttcp->at += n;
    if (ttcp->at == ttcp->cfg.buflen) {
        ttcp->at = 0;
        ttcp->pattern_at = 0;
        return;
    }
    ttcp->pattern_at += n;
    while (ttcp->pattern_at >= ND__PATTERN_PERIOD) {
        ttcp->pattern_at -= ND__PATTERN_PERIOD;
    }
}

/* Bytes that the next write can take: to the end of the buffer, of the pattern, or of the budget.
 */
static uint32_t next_write(const struct nd_ttcp *ttcp, uint32_t budget) {
    uint32_t len = ttcp->cfg.buflen - ttcp->at;

    if (len > ND__PATTERN_BYTES - ttcp->pattern_at) {
        len = ND__PATTERN_BYTES - ttcp->pattern_at;
    }
    return len < budget ? len : budget;
}

/* Write buffers until the stack is full or this poll has done its share; the last write says that
 * no more follows. The bytes are counted once, at the end. */
static int32_t send_buffers(struct nd_ttcp *ttcp) {
    const struct nd_port *port = ttcp->session.agent->cfg.port;
    unsigned lend = ttcp->cfg.borrow ? ND_TX_STATIC : 0;
    uint32_t share = nd__stream_min(ttcp->left_bytes, ND_CFG_POLL_BYTES);
    uint32_t budget = share;
    int32_t n = ND_AGAIN;

    while (budget > 0) {
        uint32_t len = next_write(ttcp, budget);
        n = port->tx(ttcp->session.conn, nd__pattern + ttcp->pattern_at, len,
                     len == budget ? lend : lend | ND_TX_MORE);
        if (n <= 0) {
            break;
        }
        advance(ttcp, (uint32_t)n);
        budget -= (uint32_t)n;
    }
    ttcp->session.more = n != ND_AGAIN;
    if (budget == share) {
        return n;
    }
    ttcp->left_bytes -= share - budget;
    nd__session_moved(&ttcp->session, &ttcp->flow.tx, share - budget);
    return (int32_t)(share - budget);
}

/* After the last byte: FIN, then wait until the peer has acknowledged everything. */
static bool end_transmit(struct nd_ttcp *ttcp) {
    struct nd_agent *agent = ttcp->session.agent;
    int result = agent->cfg.port->end(ttcp->session.conn);

    ttcp->ending = true;
    ttcp->session.wake = UINT64_MAX;
    if (result == ND_AGAIN) {
        return false;
    }
    finish(ttcp, result, nd__session_tail(&ttcp->session, result, ttcp->flow.tx.last));
    return true;
}

static void begin_transmit(struct nd_ttcp *ttcp) {
    struct nd_agent *agent = ttcp->session.agent;

    ttcp->connected = true;
    ttcp->begin = agent->now;
    ttcp->until = UINT64_MAX;
    if (ttcp->cfg.duration_ns > 0) {
        ttcp->until = agent->now + nd_clock_ticks(ttcp->cfg.duration_ns, agent->cfg.clock->hz);
        ttcp->session.wake = ttcp->until;
    }
}

static bool poll_transmit(struct nd_session *session) {
    struct nd_ttcp *ttcp = (struct nd_ttcp *)session;

    if (!ttcp->connected) {
        int status = ttcp->session.agent->cfg.port->status(ttcp->session.conn);
        if (status == ND_AGAIN) {
            return false;
        }
        if (status != ND_OK) {
            finish(ttcp, status, ND_NO_SAMPLES);
            return true;
        }
        begin_transmit(ttcp);
    }
    if (ttcp->ending || reached_end(ttcp)) {
        return end_transmit(ttcp);
    }
    int32_t n = send_buffers(ttcp);
    if (n > 0 || n == ND_AGAIN) {
        return ttcp->session.more;
    }
    finish(ttcp, n, ND_NO_SAMPLES);
    return true;
}

/* ---- receive ----------------------------------------------------------------------- */

static bool poll_receive(struct nd_session *session) {
    struct nd_ttcp *ttcp = (struct nd_ttcp *)session;
    int32_t n;

    if (ttcp->session.conn == NULL) {
        return false;
    }
    if (!ttcp->ending) {
        n = nd__stream_take(&ttcp->session, &ttcp->flow.rx, ND_CFG_POLL_BYTES);
        if (n > 0 || n == ND_AGAIN) {
            return ttcp->session.more;
        }
        if (n != ND_EOF) {
            finish(ttcp, n, ND_NOT_SUPPORTED);
            return true;
        }
        ttcp->ending = true;
    }
    n = nd__stream_finish(&ttcp->session);
    if (n == ND_AGAIN) {
        return false;
    }
    finish(ttcp, n, ND_NOT_SUPPORTED);
    return true;
}

static bool ready(const struct nd_service *service) {
    const char *object = (const char *)service - offsetof(struct nd_ttcp, service);

    return ((const struct nd_ttcp *)(const void *)object)->session.conn == NULL;
}

static void take_caller(struct nd_service *service, struct nd_conn *conn) {
    struct nd_ttcp *ttcp = (struct nd_ttcp *)(void *)((char *)service - //
                                                      offsetof(struct nd_ttcp, service));

    ttcp->flow = (struct nd_flow){0};
    ttcp->ending = false;
    ttcp->begin = service->agent->now;
    ttcp->session.conn = conn;
    ttcp->session.active = service->agent->now;
    ttcp->session.patient = false;
    ttcp->session.resident = false;
    if (!ttcp->cfg.again) {
        nd_service_close(service);
    }
}

static const struct nd_service_class service_kind = {
    .name = "ttcp", .ready = ready, .take = take_caller};

/* ---- both -------------------------------------------------------------------------- */

static const struct nd_session_class transmitter_kind = {
    .engine = "ttcp", .poll = poll_transmit, .stop = stop};

static void set_defaults(struct nd_ttcp_cfg *cfg) {
    if (cfg->buflen == 0) {
        cfg->buflen = ND_TTCP_BUFLEN;
    }
    if (cfg->nbuf == 0 && cfg->duration_ns == 0) {
        cfg->nbuf = ND_TTCP_NBUF;
    }
}

int nd_ttcp_start(struct nd_ttcp *ttcp, struct nd_agent *agent, const struct nd_ttcp_cfg *cfg) {
    struct nd_conn *conn = NULL;
    int result = ND_OK;

    if (ttcp->session.number != 0) {
        return ND_E_STATE;
    }
    *ttcp = (struct nd_ttcp){.cfg = *cfg, .begin = agent->now};
    set_defaults(&ttcp->cfg);
    if (cfg->udp) {
        return nd__ttcp_start_udp(ttcp, agent);
    }
    if (cfg->transmit) {
        ttcp->left_bytes = ttcp->cfg.nbuf == 0 ? UINT64_MAX : ttcp->cfg.nbuf * ttcp->cfg.buflen;
        result = agent->cfg.port->connect(agent->cfg.port_ctx, &cfg->addr, &conn);
    } else {
        result = nd_service_open(&ttcp->service, &service_kind, agent, &cfg->addr);
    }
    if (result != ND_OK) {
        return result;
    }
    if (cfg->transmit) {
        nd_session_join(&ttcp->session, &transmitter_kind, agent, conn);
    } else {
        await_caller(ttcp, agent);
    }
    return ND_OK;
}

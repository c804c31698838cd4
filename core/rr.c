/* SPDX-License-Identifier: BSD-3-Clause */
#include "rr.h"

#include "pattern.h"

void nd__rr_finish(struct nd_rr *rr, int result) {
    const struct nd_sequence datagrams = {
        .datagrams = rr->done - rr->lost,
        .bytes = (rr->done - rr->lost) * rr->cfg.bytes,
        .expected = rr->done,
        .lost = rr->lost,
        .late = rr->late,
        .extra_bytes = rr->late * rr->cfg.bytes,
        .sent_ns = ND_NOT_SUPPORTED,
        .jitter_ns = ND_NOT_SUPPORTED,
    };
    struct nd_report report = {
        .role = "client",
        .phase = rr->cfg.udp       ? "udp"
                 : rr->cfg.connect ? "connect"
                                   : "tcp",
        .last = true,
        .result = result,
        .peer = rr->cfg.to,
        .expected_bytes = rr->cfg.count != UINT64_MAX ? rr->cfg.count * rr->cfg.bytes : 0,
        .flow = rr->flow,
        .begin = rr->begin,
        .tail_ticks = ND_NOT_SUPPORTED,
        .buflen = rr->cfg.bytes,
        .latency = rr->cfg.latency,
        .datagrams = rr->cfg.udp ? &datagrams : NULL,
        .round_trips = rr->done - rr->lost,
    };

    nd_session_report(&rr->session, &report);
    nd_session_leave(&rr->session);
}

void nd__rr_stop(struct nd_session *session, int why) {
    nd__rr_finish(nd__rr_of(session), why);
}

bool nd__rr_is_over(const struct nd_rr *rr) {
    return rr->done >= rr->cfg.count || rr->session.agent->now >= rr->until;
}

bool nd__rr_is_due(struct nd_rr *rr) {
    rr->session.wake = rr->next < rr->until ? rr->next : rr->until;
    return rr->session.agent->now >= rr->next;
}

void nd__rr_note_request(struct nd_rr *rr) {
    uint64_t now = rr->session.agent->now;

    rr->asking = true;
    rr->sent_at = now;
    rr->out = 0;
    rr->back = 0;
    rr->next += rr->period;
    if (rr->next < now) {
        rr->next = now; /* a late answer is no reason for a burst */
    }
}

void nd__rr_note_answer(struct nd_rr *rr) {
    struct nd_agent *agent = rr->session.agent;

    if (rr->cfg.latency != NULL) {
        nd_hist_add(rr->cfg.latency, nd_agent_ns(agent, agent->now - rr->sent_at));
    }
    rr->asking = false;
    rr->done++;
}

static void set_defaults(struct nd_rr_cfg *cfg) {
    if (cfg->to.port == 0) {
        cfg->to.port = ND_RR_PORT;
    }
    if (cfg->bytes == 0) {
        cfg->bytes = ND_RR_BYTES;
    }
    if (cfg->count == 0) {
        cfg->count = cfg->duration_ns > 0 ? UINT64_MAX : ND_RR_COUNT;
    }
    if (cfg->timeout_ms == 0) {
        cfg->timeout_ms = ND_RR_TIMEOUT_MS;
    }
}

static int open(const struct nd_rr *rr, const struct nd_agent *agent, struct nd_conn **conn) {
    const struct nd_port *port = agent->cfg.port;
    const struct nd_addr any = {0};

    if (!rr->cfg.udp) {
        return port->connect(agent->cfg.port_ctx, &rr->cfg.to, conn);
    }
    return port->udp_open != NULL ? port->udp_open(agent->cfg.port_ctx, &any, conn)
                                  : ND_E_UNSUPPORTED;
}

int nd_rr_start(struct nd_rr *rr, struct nd_agent *agent, const struct nd_rr_cfg *cfg) {
    uint32_t hz = agent->cfg.clock->hz;
    struct nd_conn *conn;
    int result;

    if (rr->session.number != 0) {
        return ND_E_STATE;
    }
    *rr = (struct nd_rr){.cfg = *cfg, .begin = agent->now, .until = UINT64_MAX, .next = agent->now};
    set_defaults(&rr->cfg);
    if (rr->cfg.bytes > ND_RR_BYTES_MAX || (cfg->udp && rr->cfg.bytes < ND_RR_BYTES_MIN) ||
        (cfg->udp && cfg->connect)) {
        return ND_E_ARG;
    }
    rr->period = nd_clock_ticks(cfg->period_ns, hz);
    rr->timeout = nd_clock_ticks((uint64_t)rr->cfg.timeout_ms * 1000000u, hz);
    if (cfg->duration_ns > 0) {
        rr->until = agent->now + nd_clock_ticks(cfg->duration_ns, hz);
    }
    for (uint32_t i = 0; i < rr->cfg.bytes; i++) {
        rr->message[i] = (uint8_t)nd__pattern[i % ND__PATTERN_PERIOD];
    }
    result = open(rr, agent, &conn);
    if (result == ND_OK) {
        nd_session_join(&rr->session, cfg->udp ? &nd__rr_udp : &nd__rr_tcp, agent, conn);
        rr->session.patient = cfg->udp;
        if (cfg->connect) {
            nd__rr_note_request(rr); /* connecting is a part of it */
        }
    }
    return result;
}

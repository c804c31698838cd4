/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/agent.h"

void nd_session_join(struct nd_session *session, const struct nd_session_class *kind,
                     struct nd_agent *agent, struct nd_conn *conn) {
    session->kind = kind;
    session->agent = agent;
    session->conn = conn;
    session->active = agent->now;
    session->wake = UINT64_MAX;
    session->resident = false;
    session->patient = false;
    session->number = ++agent->session_count;
    session->next = agent->sessions;
    agent->sessions = session;
}

void nd_session_leave(struct nd_session *session) {
    struct nd_session **link = &session->agent->sessions;

    if (session->conn != NULL) {
        session->agent->cfg.port->close(session->conn);
        session->conn = NULL;
    }
    while (*link != NULL && *link != session) {
        link = &(*link)->next;
    }
    if (*link == session) {
        *link = session->next;
    }
    session->number = 0;
}

/* The common half of both directions; in the hot path of every test. */
static inline void moved(struct nd_session *session, struct nd_span_bytes *span, uint32_t n) {
    struct nd_agent *agent = session->agent;
    uint64_t now = agent->now;

    if (span->bytes == 0) {
        span->first = now;
        span->idle_first = agent->poll_idle;
    }
    if (span->first == now) {
        span->first_bytes += n;
    }
    span->bytes += n;
    span->last = now;
    span->idle_last = agent->poll_idle;
    nd_hist_add(&agent->progress_gap, now - session->active);
    session->active = now;
}

void nd_session_moved_rx(struct nd_session *session, struct nd_span_bytes *rx, uint32_t n) {
    session->agent->rx_bytes += n;
    moved(session, rx, n);
}

void nd_session_moved_tx(struct nd_session *session, struct nd_span_bytes *tx, uint32_t n) {
    session->agent->tx_bytes += n;
    moved(session, tx, n);
}

void nd_session_report(struct nd_session *session, struct nd_report *report) {
    struct nd_agent *agent = session->agent;

    report->engine = session->kind->engine;
    report->session = session->number;
    report->end = agent->now;
    if (session->conn != NULL) {
        struct nd_conn_info info;
        agent->cfg.port->info(session->conn, &info);
        report->peer = info.peer;
        report->cause = agent->cfg.port->cause(session->conn);
    }
    nd_agent_check_memory(agent);
    for (struct nd_report_sink *sink = agent->sinks; sink != NULL; sink = sink->next) {
        sink->put(sink->ctx, report);
    }
}

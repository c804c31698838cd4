/* SPDX-License-Identifier: BSD-3-Clause */
#include "session.h"

static void join(struct nd_session *session, const struct nd_session_class *kind,
                 struct nd_agent *agent, struct nd_conn *conn, struct nd_session **list) {
    session->kind = kind;
    session->agent = agent;
    session->conn = conn;
    session->active = agent->now;
    session->wake = UINT64_MAX;
    session->resident = false;
    session->patient = false;
    session->number = ++agent->session_count;
    session->next = *list;
    *list = session;
}

void nd_session_join(struct nd_session *session, const struct nd_session_class *kind,
                     struct nd_agent *agent, struct nd_conn *conn) {
    join(session, kind, agent, conn, &agent->sessions);
}

void nd_session_listen(struct nd_session *session, const struct nd_session_class *kind,
                       struct nd_agent *agent, struct nd_conn *socket) {
    join(session, kind, agent, socket, &agent->sockets);
    session->resident = true;
    session->patient = true;
}

static bool remove(struct nd_session **list, const struct nd_session *session) {
    struct nd_session **link = list;

    while (*link != NULL && *link != session) {
        link = &(*link)->next;
    }
    if (*link == NULL) {
        return false;
    }
    *link = session->next;
    return true;
}

void nd_session_leave(struct nd_session *session) {
    if (session->conn != NULL) {
        session->agent->cfg.port->close(session->conn);
        session->conn = NULL;
    }
    if (session->agent->next_polled == session) {
        session->agent->next_polled = session->next;
    }
    if (!remove(&session->agent->sessions, session)) {
        remove(&session->agent->sockets, session);
    }
    session->number = 0;
}

void nd_session_moved(struct nd_session *session, struct nd_span_bytes *span, uint32_t n) {
    nd__session_moved(session, span, n);
}

int64_t nd__session_tail(const struct nd_session *session, int result, uint64_t last) {
    const struct nd_port *port = session->agent->cfg.port;

    if (result != ND_OK) {
        return ND_NO_SAMPLES;
    }
    if ((port->can & ND_PORT_END_EARLY) != 0) {
        struct nd_conn_info info;
        port->info(session->conn, &info);
        if (info.unacked_bytes == ND_NOT_SUPPORTED) {
            return ND_NOT_SUPPORTED;
        }
    }
    return (int64_t)(session->agent->now - last);
}

void nd_session_report(struct nd_session *session, struct nd_report *report) {
    struct nd_agent *agent = session->agent;

    report->engine = session->kind->engine;
    report->session = session->number;
    if (report->end == 0) {
        report->end = agent->now;
    }
    if (session->conn != NULL) {
        struct nd_conn_info info;
        agent->cfg.port->info(session->conn, &info);
        if (report->peer.port == 0) {
            report->peer = info.peer;
        }
        report->cause = agent->cfg.port->cause(session->conn);
    }
    if (!report->interval) {
        agent->rx_bytes += report->flow.rx.bytes;
        agent->tx_bytes += report->flow.tx.bytes;
    }
    if (report->heap != NULL) {
        agent->heap_free = *report->heap;
    }
    nd_agent_check_memory(agent);
    for (struct nd_report_sink *sink = agent->sinks; sink != NULL; sink = sink->next) {
        sink->put(sink->ctx, report);
    }
}

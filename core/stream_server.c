/* SPDX-License-Identifier: BSD-3-Clause */
#include "stream_server.h"

#include "stream.h"

/* Each object is the first member of the one it stands for. */
static const struct nd__stream_kind *kind_of(const struct nd_session *session) {
    return (const struct nd__stream_kind *)session->kind;
}

static struct nd_stream_conn *free_place(const struct nd_stream_server *server) {
    for (uint32_t i = 0; i < server->conn_count; i++) {
        if (server->conns[i].session.number == 0) {
            return &server->conns[i];
        }
    }
    return NULL;
}

int nd__stream_serve(struct nd_stream_server *server, struct nd_agent *agent,
                     const struct nd__stream_kind *kind, const struct nd_addr *at,
                     struct nd_stream_conn *conns, uint32_t conn_count) {
    for (uint32_t i = 0; i < conn_count; i++) {
        conns[i] = (struct nd_stream_conn){.session = {.kind = &kind->session}};
    }
    server->conns = conns;
    server->conn_count = conn_count;
    return nd_service_open(&server->service, &kind->service, agent, at);
}

bool nd__stream_ready(const struct nd_service *service) {
    return free_place((const struct nd_stream_server *)service) != NULL;
}

void nd__stream_take_caller(struct nd_service *service, struct nd_conn *conn) {
    struct nd_stream_conn *place = free_place((struct nd_stream_server *)service);

    place->flow = (struct nd_flow){0};
    place->offset = 0;
    place->ending = false;
    place->begin = service->agent->now;
    nd_session_join(&place->session, place->session.kind, service->agent, conn);
}

void nd__stream_stop(struct nd_session *session, int why) {
    struct nd_stream_conn *conn = (struct nd_stream_conn *)session;
    struct nd_report report = {
        .role = "server",
        .last = true,
        .result = why,
        .flow = conn->flow,
        .begin = conn->begin,
        .tail_ticks = ND_NOT_SUPPORTED,
    };

    nd_session_report(session, &report);
    nd_session_leave(session);
}

bool nd__stream_poll(struct nd_session *session) {
    struct nd_stream_conn *conn = (struct nd_stream_conn *)session;
    int32_t n;

    if (!conn->ending) {
        n = kind_of(session)->work(conn);
        if (n > 0 || n == ND_AGAIN) {
            return n > 0;
        }
        if (n != ND_EOF) {
            nd__stream_stop(session, n);
            return true;
        }
        conn->ending = true;
    }
    n = nd__stream_finish(session);
    if (n == ND_AGAIN) {
        return false;
    }
    nd__stream_stop(session, n);
    return true;
}

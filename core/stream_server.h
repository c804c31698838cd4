/* SPDX-License-Identifier: BSD-3-Clause */
/* core/stream_server.h - the frame around the small TCP servers; each adds its work. */
#ifndef ND__STREAM_SERVER_H
#define ND__STREAM_SERVER_H

#include "nd/stream.h"

/* One kind of server. */
struct nd__stream_kind {
    struct nd_session_class session; /* first: a session finds its kind through it */
    struct nd_service_class service;
    /* Move bytes of one connection: a count, ND_AGAIN, ND_EOF or the error. */
    int32_t (*work)(struct nd_stream_conn *conn);
};

int nd__stream_serve(struct nd_stream_server *server, struct nd_agent *agent,
                     const struct nd__stream_kind *kind, const struct nd_addr *at,
                     struct nd_stream_conn *conns, uint32_t conn_count);

/* The functions of every kind's session and service. */
bool nd__stream_poll(struct nd_session *session);
void nd__stream_stop(struct nd_session *session, int why);
bool nd__stream_ready(const struct nd_service *service);
void nd__stream_take_caller(struct nd_service *service, struct nd_conn *conn);

/* Fill the table of a kind: NAME is the engine's name, WORK its work. */
#define ND__STREAM_KIND(NAME, WORK)                                                                \
    {                                                                                              \
        .session = {.engine = (NAME), .poll = nd__stream_poll, .stop = nd__stream_stop},           \
        .service = {.name = (NAME), .ready = nd__stream_ready, .take = nd__stream_take_caller},    \
        .work = (WORK)                                                                             \
    }

#endif

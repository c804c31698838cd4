/* SPDX-License-Identifier: BSD-3-Clause */
#include "memtest.h"

#include "stream.h"

static void sample(struct nd_memtest_run *run) {
    nd_heap_meter_sample(&run->heap, run->session.agent->cfg.memory);
}

static int32_t take(struct nd_memtest_run *run) {
    return nd__stream_take(&run->session, &run->flow.rx, nd__memtest_left(run, run->flow.rx.bytes));
}

static int32_t echo(struct nd_memtest_run *run) {
    return nd__stream_echo(&run->session, &run->flow, nd__memtest_left(run, run->flow.rx.bytes),
                           ND_MEMTEST_MESSAGE_BYTES);
}

/* One step; a count, ND_AGAIN, or why it is over. */
static int32_t work(struct nd_memtest_run *run) {
    int32_t n;

    switch (run->phase) {
    case ND_MEMTEST_UP:
        n = take(run);
        break;
    case ND_MEMTEST_DOWN:
        n = nd__memtest_send(run);
        break;
    case ND_MEMTEST_ECHO:
        n = echo(run);
        break;
    default:
        return nd__stream_finish(&run->session);
    }
    if (n > 0) {
        sample(run);
        if (run->flow.rx.bytes == run->bytes || run->flow.tx.bytes == run->bytes) {
            nd__memtest_next(run);
        }
    }
    return n;
}

static bool poll(struct nd_session *session) {
    int32_t n = work((struct nd_memtest_run *)session);

    if (n > 0 || n == ND_AGAIN) {
        return n > 0;
    }
    nd__memtest_stop(session, n);
    return true;
}

static const struct nd_session_class session_kind = {
    .engine = "memtest", .poll = poll, .stop = nd__memtest_stop};

static bool ready(const struct nd_service *service) {
    return ((const struct nd_memtest_server *)service)->run.session.number == 0;
}

static void take_caller(struct nd_service *service, struct nd_conn *conn) {
    struct nd_memtest_server *server = (struct nd_memtest_server *)service;

    uint64_t bytes = server->next_bytes != 0 ? server->next_bytes : server->bytes;

    server->next_bytes = 0;
    nd__memtest_begin(&server->run, bytes, service->agent->now);
    nd_session_join(&server->run.session, &session_kind, service->agent, conn);
}

static const struct nd_service_class service_kind = {
    .name = "memtest", .ready = ready, .take = take_caller};

int nd_memtest_serve(struct nd_memtest_server *server, struct nd_agent *agent,
                     const struct nd_addr *at, uint64_t bytes) {
    *server = (struct nd_memtest_server){0};
    server->run.server = true;
    server->bytes = bytes != 0 ? bytes : ND_MEMTEST_BYTES;
    return nd_service_open(&server->service, &service_kind, agent, at);
}

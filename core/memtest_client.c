/* SPDX-License-Identifier: BSD-3-Clause */
#include "memtest.h"

#include "stream.h"

static int32_t connect_done(struct nd_memtest_run *run) {
    int status = run->session.agent->cfg.port->status(run->session.conn);

    if (status != ND_OK) {
        return status;
    }
    run->connected = true;
    run->begin = run->session.agent->now;
    return 1;
}

/* The phase is over when the server, having counted all of it, begins to send: only then is it
 * known that every byte arrived. */
static int32_t up(struct nd_memtest_run *run) {
    const void *bytes;
    int32_t n;

    if (run->flow.tx.bytes < run->bytes) {
        return nd__memtest_send(run);
    }
    n = run->session.agent->cfg.port->rx(run->session.conn, &bytes);
    if (n > 0) {
        nd__memtest_next(run);
    }
    return n;
}

static int32_t down(struct nd_memtest_run *run) {
    int32_t n = nd__stream_take(&run->session, &run->flow.rx, //
                                nd__memtest_left(run, run->flow.rx.bytes));

    if (run->flow.rx.bytes == run->bytes) {
        nd__memtest_next(run);
    }
    return n;
}

/* A message is sent whole, then awaited whole, as the origin's script does. */
static int32_t echo(struct nd_memtest_run *run) {
    uint32_t message =
        nd__stream_min(run->bytes - (run->flow.tx.bytes - run->out), ND_MEMTEST_MESSAGE_BYTES);
    int32_t n;

    if (run->out < message) {
        n = nd__memtest_send(run);
        if (n > 0) {
            run->out += (uint32_t)n;
        }
        return n;
    }
    n = nd__stream_take(&run->session, &run->flow.rx, message - run->back);
    if (n > 0) {
        run->back += (uint32_t)n;
        if (run->back == message) {
            run->out = 0;
            run->back = 0;
        }
        if (run->flow.rx.bytes == run->bytes) {
            nd__memtest_next(run);
        }
    }
    return n;
}

/* One step; a count, ND_AGAIN, or why it is over. */
static int32_t work(struct nd_memtest_run *run) {
    if (!run->connected) {
        return connect_done(run);
    }
    switch (run->phase) {
    case ND_MEMTEST_UP:
        return up(run);
    case ND_MEMTEST_DOWN:
        return down(run);
    case ND_MEMTEST_ECHO:
        return echo(run);
    default:
        return nd__stream_finish(&run->session);
    }
}

static bool poll(struct nd_session *session) {
    int32_t n = work((struct nd_memtest_run *)session);

    if (n > 0 || n == ND_AGAIN) {
        return n > 0;
    }
    nd__memtest_stop(session, n);
    return true;
}

static const struct nd_session_class kind = {
    .engine = "memtest", .poll = poll, .stop = nd__memtest_stop};

int nd_memtest_connect(struct nd_memtest_client *client, struct nd_agent *agent,
                       const struct nd_addr *to, uint64_t bytes) {
    struct nd_conn *conn;
    int result = agent->cfg.port->connect(agent->cfg.port_ctx, to, &conn);

    if (result != ND_OK) {
        return result;
    }
    *client = (struct nd_memtest_client){0};
    nd__memtest_begin(&client->run, bytes != 0 ? bytes : ND_MEMTEST_BYTES, agent->now);
    nd_session_join(&client->run.session, &kind, agent, conn);
    return ND_OK;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "iperf3_test.h"
#include "stream.h"

/* Time to read a refusal [ns]. */
#define LEAVE_NS 2000000000u

/* By when the client has ended a test after its time was over, before we stop sending [s]. */
#define GRACE_S 10u

/* By when a client that has received all that it asked for has ended the test [ns]. */
#define REPLACE_NS 250000000u

static struct nd_iperf3_server *server_of(struct nd_iperf3_test *test) {
    return (struct nd_iperf3_server *)(void *)((char *)test -
                                               offsetof(struct nd_iperf3_server, test));
}

/* ---- what a test may be ---------------------------------------------------------------- */

static uint32_t longest_s(const struct nd_iperf3_server *server) {
    return server->limits.seconds > 0 ? server->limits.seconds : ND_IPERF3_SECONDS_MAX;
}

static enum nd__iperf3_error check_udp(const struct nd_iperf3_test *test) {
    uint32_t length = test->params.length;

    if ((test->session.agent->cfg.port->can & ND_PORT_UDP) == 0) {
        return ND__IPERF3_E_UNIMPLEMENTED;
    }
    if (length < ND__IPERF3_DATAGRAM_MIN ||
        (nd__iperf3_sends(test) && length > test->memory.datagram_bytes)) {
        return ND__IPERF3_E_UDP_BLOCK;
    }
    return ND__IPERF3_E_NONE;
}

static enum nd__iperf3_error check(const struct nd_iperf3_test *test,
                                   const struct nd_iperf3_server *server) {
    const struct nd_iperf3_params *params = &test->params;
    uint64_t limit = server->limits.rate_bit_s;

    if (params->sctp) {
        return ND__IPERF3_E_UNIMPLEMENTED;
    }
    if (params->parallel == 0 || params->parallel > test->memory.stream_count ||
        nd__iperf3_stream_total(params) > test->memory.stream_count) {
        return ND__IPERF3_E_STREAMS;
    }
    if (params->length == 0 || params->length > ND__IPERF3_BLOCK_MAX) {
        return ND__IPERF3_E_BLOCK;
    }
    if ((uint64_t)params->time_s + params->omit_s > longest_s(server)) {
        return ND__IPERF3_E_DURATION;
    }
    if (limit > 0 && params->rate_bit_s > limit / nd__iperf3_stream_total(params)) {
        return ND__IPERF3_E_RATE;
    }
    return params->udp ? check_udp(test) : ND__IPERF3_E_NONE;
}

/* Within a limit, our own sending is paced to it. */
static void share_rate(struct nd_iperf3_test *test, uint64_t limit_bit_s) {
    if (limit_bit_s > 0 && test->params.rate_bit_s == 0) {
        test->params.rate_bit_s = limit_bit_s / nd__iperf3_stream_total(&test->params);
    }
}

static int refuse(struct nd_iperf3_test *test, enum nd__iperf3_error error) {
    test->message = "refused: the test asked for is beyond what this server offers";
    nd__iperf3_say_error(test, error);
    test->phase = ND__IPERF3_REFUSING;
    test->limit = nd__iperf3_after(test, LEAVE_NS);
    return ND_OK;
}

/* ---- the steps of a test --------------------------------------------------------------- */

static int open_socket(struct nd_iperf3_test *test) {
    const struct nd_agent *agent = test->session.agent;

    return agent->cfg.port->udp_open(agent->cfg.port_ctx, &server_of(test)->service.at, &test->udp);
}

static int take_params(struct nd_iperf3_test *test) {
    struct nd_iperf3_server *server = server_of(test);
    int result = nd__iperf3_hear_params(test);

    if (result != ND_OK) {
        return result;
    }
    enum nd__iperf3_error error = check(test, server);
    if (error != ND__IPERF3_E_NONE) {
        return refuse(test, error);
    }
    share_rate(test, server->limits.rate_bit_s);
    if (test->params.udp && open_socket(test) != ND_OK) {
        return refuse(test, ND__IPERF3_E_LISTEN);
    }
    nd__iperf3_say(test, ND__IPERF3_STREAMS);
    test->phase = ND__IPERF3_ACCEPTING;
    server->first_caller = test->session.agent->session_count + 1;
    return ND_OK;
}

/* The client has nothing to say now but that it gives up. */
static int watch_client(struct nd_iperf3_test *test) {
    int word;
    int result = nd__iperf3_hear(test, &word);

    if (result != ND_OK) {
        return result;
    }
    if (word == ND__IPERF3_CLIENT_TERMINATE) {
        test->message = "the client was interrupted";
        return ND_E_SHORT;
    }
    return ND_E_PROTOCOL;
}

static void start_allowance(struct nd_iperf3_server *server) {
    server->allowed_bytes = server->limits.rate_bit_s / 8;
    server->allowed_until = nd__iperf3_after(&server->test, 1000000000u);
}

static int accept_streams(struct nd_iperf3_test *test) {
    struct nd_iperf3_server *server = server_of(test);
    const struct nd_iperf3_params *params = &test->params;
    bool all = params->udp ? nd__iperf3_take_hellos(test) == ND_OK
                           : test->stream_used == nd__iperf3_stream_total(params);

    if (!all) {
        return watch_client(test);
    }
    nd__iperf3_say(test, ND__IPERF3_START);
    nd__iperf3_say(test, ND__IPERF3_RUNNING);
    nd__iperf3_start(test, params->time_s > 0 ? (uint64_t)params->time_s + GRACE_S : 0);
    start_allowance(server);
    test->limit = test->running + (uint64_t)(longest_s(server) + GRACE_S) * //
                                      test->session.agent->cfg.clock->hz;
    test->phase = ND__IPERF3_SERVING;
    return ND_OK;
}

/* The owner's limits: each second may move its share and what was left of those before. */
static bool within_limits(struct nd_iperf3_server *server) {
    struct nd_iperf3_test *test = &server->test;
    uint64_t now = test->session.agent->now;

    if (now >= test->limit) {
        test->message = "ended: longer than the owner allows";
        return false;
    }
    if (server->limits.rate_bit_s == 0 || now < server->allowed_until) {
        return true;
    }
    uint64_t moved = 0;
    for (uint32_t i = 0; i < test->stream_used; i++) {
        moved += test->memory.streams[i].bytes;
    }
    if (moved > server->allowed_bytes + server->limits.rate_bit_s / 8) {
        test->message = "ended: faster than the owner allows";
        return false;
    }
    server->allowed_bytes += server->limits.rate_bit_s / 8;
    server->allowed_until += test->session.agent->cfg.clock->hz;
    return true;
}

static int serve(struct nd_iperf3_test *test) {
    int word;
    int result;

    if (!within_limits(server_of(test))) {
        nd__iperf3_say(test, ND__IPERF3_SERVER_TERMINATE);
        test->phase = ND__IPERF3_REFUSING;
        test->limit = nd__iperf3_after(test, LEAVE_NS);
        return ND_OK;
    }
    result = nd__iperf3_hear(test, &word);
    if (result != ND_OK) {
        return result;
    }
    if (word == ND__IPERF3_END) {
        test->phase = ND__IPERF3_SETTLING;
        nd__iperf3_end_streams(test);
        nd__iperf3_await(test);
        return ND_OK;
    }
    test->message = word == ND__IPERF3_CLIENT_TERMINATE ? "the client was interrupted" : NULL;
    return word == ND__IPERF3_CLIENT_TERMINATE ? ND_E_SHORT : ND_E_PROTOCOL;
}

static int settle(struct nd_iperf3_test *test) {
    bool ours = nd__iperf3_ours_arrived(test);

    if (!nd__iperf3_theirs_arrived(test) || !ours) {
        return watch_client(test);
    }
    nd__iperf3_say(test, ND__IPERF3_RESULTS);
    test->limit = UINT64_MAX;
    test->phase = ND__IPERF3_RESULTS_IN;
    return ND_OK;
}

static int take_results(struct nd_iperf3_test *test) {
    int result = nd__iperf3_hear_results(test);

    if (result == ND_OK) {
        nd__iperf3_count_tails(test);
        nd__iperf3_await(test);
        test->phase = ND__IPERF3_RESULTS_OUT;
    }
    return result;
}

/* Is some of what the client says it sent over TCP still missing? A segment that was lost comes
 * after a silence. Without the bytes that are left out (-O) at either end it cannot be told. */
static bool misses_bytes(const struct nd_iperf3_test *test) {
    bool misses = false;

    for (uint32_t i = 0; i < test->stream_used && !test->params.udp; i++) {
        const struct nd_iperf3_stream *stream = &test->memory.streams[i];
        misses |= !stream->sends && !stream->ended && stream->theirs.bytes > 0 &&
                  (uint64_t)stream->theirs.bytes > stream->bytes;
    }
    return misses && test->params.omit_s == 0;
}

/* True when it still may come. */
static bool awaits_bytes(struct nd_iperf3_test *test) {
    const struct nd_agent *agent = test->session.agent;
    uint64_t from = test->moved > test->quiet_from ? test->moved : test->quiet_from;
    uint64_t until = from + nd_clock_ticks(ND__IPERF3_STALL_NS, agent->cfg.clock->hz);

    if (agent->now >= until || agent->now >= test->limit || !misses_bytes(test)) {
        return false;
    }
    nd__iperf3_wake_by(test, until);
    return true;
}

static int tell_results(struct nd_iperf3_test *test) {
    if (test->piece == 0 && awaits_bytes(test)) {
        return ND_AGAIN;
    }
    test->limit = UINT64_MAX;
    int result = nd__iperf3_say_results(test);

    if (result == ND_OK) {
        nd__iperf3_say(test, ND__IPERF3_DISPLAY);
        test->phase = ND__IPERF3_SERVED;
    }
    return result;
}

/* The test is over when the client says so or, having got all that it asked for, hangs up. */
static int part(struct nd_iperf3_test *test) {
    int word;
    int result = nd__iperf3_hear(test, &word);

    if (result == ND_AGAIN) {
        return ND_AGAIN;
    }
    test->session.agent->cfg.port->end(test->session.conn);
    nd__iperf3_finish(test, result == ND_OK && word != ND__IPERF3_DONE ? ND_E_PROTOCOL : ND_OK);
    return ND_AGAIN;
}

/* What was said must be read before the connection is closed, or the reset would overtake it. */
static int hang_up(struct nd_iperf3_test *test) {
    if (nd__stream_finish(&test->session) == ND_AGAIN && test->session.agent->now < test->limit) {
        return ND_AGAIN;
    }
    nd__iperf3_finish(test, ND_E_UNSUPPORTED);
    return ND_AGAIN;
}

static int step(struct nd_iperf3_test *test) {
    int result = nd__iperf3_flush(test);

    if (result != ND_OK) {
        return result;
    }
    switch (test->phase) {
    case ND__IPERF3_PARAMS_IN:
        return take_params(test);
    case ND__IPERF3_ACCEPTING:
        return accept_streams(test);
    case ND__IPERF3_SERVING:
        return serve(test);
    case ND__IPERF3_SETTLING:
        return settle(test);
    case ND__IPERF3_RESULTS_IN:
        return take_results(test);
    case ND__IPERF3_RESULTS_OUT:
        return tell_results(test);
    case ND__IPERF3_SERVED:
        return part(test);
    default:
        return hang_up(test);
    }
}

static bool moves(const struct nd_iperf3_test *test) {
    return test->phase == ND__IPERF3_SERVING || test->phase == ND__IPERF3_SETTLING ||
           test->phase == ND__IPERF3_RESULTS_OUT;
}

/* Who asked for so many bytes ends the test when it has received them: datagrams that were lost on
 * the way are replaced, one after another. */
static void replace_lost(struct nd_iperf3_test *test) {
    const struct nd_agent *agent = test->session.agent;
    uint64_t due = test->moved + nd_clock_ticks(REPLACE_NS, agent->cfg.clock->hz);

    if (!test->params.udp || !nd__iperf3_sends(test) || test->budget_bytes > 0) {
        return;
    }
    if (agent->now >= due) {
        test->budget_bytes = test->params.length;
    } else {
        nd__iperf3_wake_by(test, due);
    }
}

/* Move data; true when there may be more to do at once. */
static bool move(struct nd_iperf3_test *test) {
    bool serving = test->phase == ND__IPERF3_SERVING;
    bool more;

    if (serving) {
        replace_lost(test);
        nd__iperf3_tick(test);
        nd__iperf3_wake_by(test, nd__iperf3_tick_due(test));
    }
    more = nd__iperf3_move(test, serving && test->session.agent->now < test->until);
    nd__iperf3_wake_by(test, nd__iperf3_due(test));
    return more;
}

/* The dialogue goes on for as long as it can; then the data moves. */
static bool poll(struct nd_session *session) {
    struct nd_iperf3_test *test = (struct nd_iperf3_test *)session;
    int result;

    do {
        session->wake = test->limit;
        result = step(test);
    } while (result == ND_OK);
    if (result != ND_AGAIN) {
        nd__iperf3_finish(test, result == ND_EOF ? ND_E_SHORT : result);
    }
    return moves(test) ? move(test) : test->phase == ND__IPERF3_IDLE;
}

static void stop(struct nd_session *session, int why) {
    struct nd_iperf3_test *test = (struct nd_iperf3_test *)session;
    const char word = ND__IPERF3_SERVER_TERMINATE;

    session->agent->cfg.port->tx(session->conn, &word, 1, 0);
    session->agent->cfg.port->end(session->conn);
    nd__iperf3_finish(test, why);
}

static const struct nd_session_class session_kind = {
    .engine = "iperf3", .poll = poll, .stop = stop};

/* ---- beginning --------------------------------------------------------------------------- */

void nd__iperf3_serve_client(struct nd_iperf3_server *server, struct nd_conn *conn,
                             const char *cookie) {
    struct nd_iperf3_test *test = &server->test;
    struct nd_agent *agent = server->service.agent;
    struct nd_iperf3_memory memory = test->memory;

    nd__iperf3_reset(test, &memory);
    memcpy(test->cookie, cookie, sizeof test->cookie);
    test->server = true;
    test->begin = agent->now;
    test->interval =
        nd_clock_ticks((uint64_t)server->limits.interval_ms * 1000000u, agent->cfg.clock->hz);
    nd_session_join(&test->session, &session_kind, agent, conn);
    nd__iperf3_say(test, ND__IPERF3_PARAMS);
    test->phase = ND__IPERF3_PARAMS_IN;
}

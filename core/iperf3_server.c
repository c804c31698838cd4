/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "iperf3_test.h"
#include "stream.h"

/* Time to say who one is, and time to read a refusal [ns]. */
#define COOKIE_NS 3000000000u
#define LEAVE_NS  2000000000u

/* A caller that has said nothing for so long gives its place to a new one [ns]. */
#define YIELD_NS 1000000000u

/* By when the client has ended a test after its time was over, before we stop sending [s]. */
#define GRACE_S 10u

static const struct nd_session_class session_kind;

static const char not_iperf3[] =
    "the caller does not speak iperf 3 (iperf 2, ttcp or a scanner?); use iperf3 -c";

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
        test->phase = ND__IPERF3_RESULTS_OUT;
    }
    return result;
}

static int tell_results(struct nd_iperf3_test *test) {
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
    return test->phase == ND__IPERF3_SERVING || test->phase == ND__IPERF3_SETTLING;
}

/* Move data; true when there may be more to do at once. */
static bool move(struct nd_iperf3_test *test) {
    bool serving = test->phase == ND__IPERF3_SERVING;
    bool more;

    nd__iperf3_tick(test);
    more = nd__iperf3_move(test, serving && test->session.agent->now < test->until);
    nd__iperf3_wake_by(test, nd__iperf3_tick_due(test));
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
    nd__iperf3_finish(test, why);
}

static const struct nd_session_class session_kind = {
    .engine = "iperf3", .poll = poll, .stop = stop};

/* ---- callers ----------------------------------------------------------------------- */

static bool busy(const struct nd_iperf3_server *server) {
    return server->test.session.number != 0;
}

static void stop_caller(struct nd_session *session, int why) {
    (void)why;
    nd_session_leave(session);
}

/* It is denied and has time to read that; a reset would overtake it. */
static void deny(struct nd_iperf3_caller *caller) {
    struct nd_session *session = &caller->session;
    const char word = (char)ND__IPERF3_DENIED;

    session->agent->cfg.port->tx(session->conn, &word, 1, 0);
    session->active = session->agent->now;
    session->wake = session->agent->now + nd_clock_ticks(LEAVE_NS, session->agent->cfg.clock->hz);
    caller->leaving = true;
}

static void complain(struct nd_iperf3_caller *caller) {
    struct nd_report report = {
        .role = "server",
        .last = true,
        .result = ND_E_PROTOCOL,
        .begin = caller->session.active,
        .tail_ticks = ND_NOT_SUPPORTED,
        .message = not_iperf3,
    };

    nd_session_report(&caller->session, &report);
    nd_session_leave(&caller->session);
}

/* Give its connection to the test. */
static struct nd_conn *hand_over(struct nd_iperf3_caller *caller) {
    struct nd_conn *conn = caller->session.conn;

    caller->session.conn = NULL;
    nd_session_leave(&caller->session);
    return conn;
}

static void begin_test(struct nd_iperf3_caller *caller) {
    struct nd_iperf3_server *server = caller->server;
    struct nd_iperf3_test *test = &server->test;
    struct nd_agent *agent = caller->session.agent;
    struct nd_iperf3_memory memory = test->memory;

    nd__iperf3_reset(test, &memory);
    memcpy(test->cookie, caller->cookie, sizeof test->cookie);
    test->server = true;
    test->begin = agent->now;
    test->interval =
        nd_clock_ticks((uint64_t)server->limits.interval_ms * 1000000u, agent->cfg.clock->hz);
    nd_session_join(&test->session, &session_kind, agent, hand_over(caller));
    nd__iperf3_say(test, ND__IPERF3_PARAMS);
    test->phase = ND__IPERF3_PARAMS_IN;
}

/* Streams take their places in the order of their connections, even when the cookie of an earlier
 * one is still under way. */
static bool must_wait(const struct nd_iperf3_caller *caller) {
    const struct nd_iperf3_server *server = caller->server;

    for (unsigned i = 0; i < ND_IPERF3_CALLERS; i++) {
        const struct nd_iperf3_caller *other = &server->callers[i];
        if (other->session.number >= server->first_caller && !other->leaving &&
            other->session.number < caller->session.number) {
            return true;
        }
    }
    return false;
}

/* The cookie is there. True when the caller has been dealt with. */
static bool decide(struct nd_iperf3_caller *caller) {
    struct nd_iperf3_server *server = caller->server;
    struct nd_iperf3_test *test = &server->test;

    if (!busy(server) && server->service.listener != NULL) {
        begin_test(caller);
        return true;
    }
    if (test->phase != ND__IPERF3_ACCEPTING || test->params.udp ||
        test->stream_used == nd__iperf3_stream_total(&test->params) ||
        memcmp(test->cookie, caller->cookie, sizeof test->cookie) != 0) {
        deny(caller);
        return true;
    }
    if (must_wait(caller)) {
        return false;
    }
    nd__iperf3_add_stream(test)->conn = hand_over(caller);
    test->session.active = test->session.agent->now;
    return true;
}

/* ND_OK when the cookie is complete, ND_AGAIN, or why there will be none. */
static int read_cookie(struct nd_iperf3_caller *caller) {
    const struct nd_port *port = caller->session.agent->cfg.port;

    while (caller->count < ND_IPERF3_COOKIE_BYTES) {
        const void *bytes;
        int32_t n = port->rx(caller->session.conn, &bytes);
        if (n <= 0) {
            return n;
        }
        uint32_t len = nd__stream_min((uint32_t)n, ND_IPERF3_COOKIE_BYTES - caller->count);
        memcpy(caller->cookie + caller->count, bytes, len);
        port->rx_done(caller->session.conn, len);
        caller->count = (uint8_t)(caller->count + len);
        if (!nd__iperf3_is_cookie(caller->cookie, caller->count)) {
            return ND_E_PROTOCOL;
        }
    }
    return ND_OK;
}

static bool poll_caller(struct nd_session *session) {
    struct nd_iperf3_caller *caller = (struct nd_iperf3_caller *)session;
    bool late = session->agent->now >= session->wake;

    if (caller->leaving) {
        if (nd__stream_finish(session) != ND_AGAIN || late) {
            nd_session_leave(session);
        }
        return false;
    }
    int result = read_cookie(caller);
    if (result == ND_OK) {
        return decide(caller);
    }
    if (result == ND_AGAIN && !late) {
        return false;
    }
    if (caller->count > 0) {
        complain(caller);
    } else {
        nd_session_leave(session);
    }
    return false;
}

static const struct nd_session_class caller_kind = {
    .engine = "iperf3", .poll = poll_caller, .stop = stop_caller};

/* A free place; or else that of the caller who has waited longest, if it may be taken. Its index,
 * or ND_AGAIN. */
static int find_place(const struct nd_iperf3_server *server) {
    const struct nd_agent *agent = server->service.agent;
    uint64_t yield = nd_clock_ticks(YIELD_NS, agent->cfg.clock->hz);
    uint64_t longest = 0;
    int place = ND_AGAIN;

    for (int i = 0; i < (int)ND_IPERF3_CALLERS; i++) {
        const struct nd_session *session = &server->callers[i].session;
        if (session->number == 0) {
            return i;
        }
        if (agent->now - session->active >= yield && agent->now - session->active > longest) {
            longest = agent->now - session->active;
            place = i;
        }
    }
    return place;
}

static bool ready(const struct nd_service *service) {
    return find_place((const struct nd_iperf3_server *)service) >= 0;
}

static void take_caller(struct nd_service *service, struct nd_conn *conn) {
    struct nd_iperf3_server *server = (struct nd_iperf3_server *)service;
    struct nd_iperf3_caller *caller = &server->callers[find_place(server)];
    struct nd_agent *agent = service->agent;

    if (caller->session.number != 0) {
        nd_session_leave(&caller->session);
    }
    caller->server = server;
    caller->count = 0;
    caller->leaving = false;
    nd_session_join(&caller->session, &caller_kind, agent, conn);
    caller->session.resident = true;
    caller->session.wake = agent->now + nd_clock_ticks(COOKIE_NS, agent->cfg.clock->hz);
    if (busy(server) && server->test.phase != ND__IPERF3_ACCEPTING) {
        deny(caller);
    }
}

static const struct nd_service_class service_kind = {
    .name = "iperf3", .ready = ready, .take = take_caller};

/* ---- serving ----------------------------------------------------------------------- */

int nd_iperf3_serve(struct nd_iperf3_server *server, struct nd_agent *agent,
                    const struct nd_addr *at, const struct nd_iperf3_memory *memory,
                    const struct nd_iperf3_limits *limits) {
    if (memory->streams == NULL || memory->stream_count == 0) {
        return ND_E_ARG;
    }
    if (server->service.listener != NULL) {
        return ND_E_STATE;
    }
    *server = (struct nd_iperf3_server){.test.memory = *memory};
    if (limits != NULL) {
        server->limits = *limits;
    }
    return nd_service_open(&server->service, &service_kind, agent, at);
}

void nd_iperf3_server_close(struct nd_iperf3_server *server) {
    if (busy(server)) {
        stop(&server->test.session, ND_E_STOPPED);
    }
    for (unsigned i = 0; i < ND_IPERF3_CALLERS; i++) {
        if (server->callers[i].session.number != 0) {
            nd_session_leave(&server->callers[i].session);
        }
    }
    if (server->service.listener != NULL) {
        nd_service_close(&server->service);
    }
}

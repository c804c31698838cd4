/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "iperf3_test.h"
#include "stream.h"

/* Time to say who one is, and time to read a refusal [ns]. */
#define COOKIE_NS 3000000000u
#define LEAVE_NS  2000000000u

/* A caller that has said nothing for so long gives its place to a new one [ns]. */
#define YIELD_NS 1000000000u

static const char not_iperf3[] =
    "the caller does not speak iperf 3 (iperf 2, ttcp or a scanner?); use iperf3 -c";

static bool busy(const struct nd_iperf3_server *server) {
    return server->test.session.number != 0;
}

/* In a test, or its memory is. */
static bool engaged(const struct nd_iperf3_server *server) {
    const struct nd_session *other = server->test.memory.other;

    return busy(server) || (other != NULL && other->number != 0);
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

    if (!engaged(server) && server->service.listener != NULL) {
        nd__iperf3_serve_client(server, hand_over(caller), caller->cookie);
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
    if (engaged(server) && server->test.phase != ND__IPERF3_ACCEPTING) {
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
    if (server->service.listener != NULL || busy(server)) {
        return ND_E_STATE;
    }
    /* The rest stays: callers of an earlier service may still be there. */
    server->test.memory = *memory;
    server->limits = limits != NULL ? *limits : (struct nd_iperf3_limits){0};
    return nd_service_open(&server->service, &service_kind, agent, at);
}

void nd_iperf3_server_close(struct nd_iperf3_server *server) {
    if (busy(server)) {
        server->test.session.kind->stop(&server->test.session, ND_E_STOPPED);
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

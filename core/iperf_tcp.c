/* SPDX-License-Identifier: BSD-3-Clause */
/* A TCP test, whichever end began it. */
#include <string.h>

#include "iperf_test.h"
#include "pattern.h"
#include "session.h"
#include "stream.h"

/* A test back is tried so often, so far apart. */
#define DIAL_TRIES 20u
#define DIAL_NS    50000000u

static struct nd_iperf_test *test_of(struct nd_session *session) {
    return (struct nd_iperf_test *)session;
}

static void finish(struct nd_iperf_test *test, int result, int64_t tail_ticks,
                   const char *message) {
    nd__iperf_report(test, result, NULL, tail_ticks, message);
    nd__iperf_leave(test);
}

static void stop(struct nd_session *session, int why) {
    struct nd_iperf_test *test = test_of(session);

    test->back_after = false;
    finish(test, why, ND_NO_SAMPLES, NULL);
}

/* ---- the header ---------------------------------------------------------------------- */

/* Take received bytes into head[] until it is full. Returns as rx() does. */
static int32_t gather_head(struct nd_iperf_test *test) {
    const struct nd_port *port = test->iperf->agent->cfg.port;
    const void *bytes;
    int32_t n = port->rx(test->session.conn, &bytes);

    if (n <= 0) {
        return n;
    }
    uint32_t take = nd__stream_min((uint32_t)n, ND_IPERF_HEAD_BYTES - test->head_have);
    memcpy(test->head + test->head_have, bytes, take);
    test->head_have += take;
    port->rx_done(test->session.conn, take);
    nd_session_moved(&test->session, &test->flow.rx, take);
    return (int32_t)take;
}

/* A connection that begins has room for 28 bytes; a stack that has not leaves the client without
 * our version, which it does not need. */
static void answer(struct nd_iperf_test *test) {
    uint8_t bytes[ND__IPERF_ANSWER_BYTES];

    nd__iperf_put_answer(bytes);
    test->iperf->agent->cfg.port->tx(test->session.conn, bytes, sizeof bytes, 0);
}

static void obey(struct nd_iperf_test *test, const struct nd__iperf_header *header) {
    struct nd__iperf_order order;
    bool reverse = (header->upper & ND__IPERF_REVERSE) != 0;
    bool duplex = (header->upper & ND__IPERF_DUPLEX) != 0;

    nd__iperf_read_order(header, false, &order);
    test->sends = reverse || duplex;
    test->receives = !reverse;
    if (reverse) {
        test->flow.rx = (struct nd_span_bytes){0}; /* the header was a request, no payload */
    }
    if (test->sends) {
        nd__iperf_prepare(test, order.amount, order.len, order.bit_s);
    }
    if (nd__iperf_wants_answer(header)) {
        answer(test);
    }
    nd__iperf_begin(test, test->sends ? order.duration_ns : 0);
    nd__iperf_plan(test, header);
    nd__iperf_test_back(test, header);
}

/* What is there when no more comes: nothing, or a test of a few bytes. */
static void end_early(struct nd_iperf_test *test) {
    if (test->head_have == 0) {
        finish(test, ND_E_SHORT, ND_NOT_SUPPORTED, NULL);
        return;
    }
    test->receives = true;
    nd__iperf_begin(test, 0);
}

static bool read_head(struct nd_iperf_test *test) {
    struct nd__iperf_header header;
    int32_t n = gather_head(test);

    if (n < 0 && n != ND_EOF) {
        if (n != ND_AGAIN) {
            finish(test, n, ND_NOT_SUPPORTED, NULL);
        }
        return n != ND_AGAIN;
    }
    switch (nd__iperf_read_opening(test->head, test->head_have, &header)) {
    case ND__IPERF_HEADER:
        obey(test, &header);
        break;
    case ND__IPERF_IPERF3:
        finish(test, ND_E_PROTOCOL, ND_NOT_SUPPORTED,
               "an iperf 3 client called this iperf 2 server: call with iperf (version 2), or call "
               "a server of iperf 3 (port 5201)");
        break;
    case ND__IPERF_BOUNCING:
        finish(test, ND_E_UNSUPPORTED, ND_NOT_SUPPORTED, "iperf 2 --bounceback is not served");
        break;
    case ND__IPERF_RAW:
        test->receives = true;
        nd__iperf_begin(test, 0);
        break;
    case ND__IPERF_MORE:
        if (n == ND_EOF) {
            end_early(test);
        }
        break;
    }
    return true;
}

/* Client: the header goes first, by itself, and counts as payload where payload follows. */
static bool send_head(struct nd_iperf_test *test) {
    uint32_t left = ND_IPERF_HEAD_BYTES - test->head_have;
    int32_t n =
        test->iperf->agent->cfg.port->tx(test->session.conn, test->head + test->head_have, left, 0);

    if (n < 0) {
        if (n != ND_AGAIN) {
            finish(test, n, ND_NO_SAMPLES, NULL);
        }
        return n != ND_AGAIN;
    }
    test->head_have += (uint32_t)n;
    if (test->sends) {
        nd_session_moved(&test->session, &test->flow.tx, (uint32_t)n);
        test->left_bytes -= test->amount != UINT64_MAX ? (uint32_t)n : 0;
    }
    if (test->head_have == ND_IPERF_HEAD_BYTES) {
        test->state = ND_IPERF_RUN;
    }
    return true;
}

/* ---- data ---------------------------------------------------------------------------- */

static bool may_send(const struct nd_iperf_test *test, uint32_t sent) {
    return sent < ND_CFG_POLL_BYTES && test->left_bytes > 0 &&
           nd_pace_due(&test->pace, test->iperf->agent->now);
}

/* The pattern is constant, so the stack need not copy it. */
static int32_t send_blocks(struct nd_iperf_test *test) {
    const struct nd_port *port = test->iperf->agent->cfg.port;
    uint32_t sent = 0;
    int32_t n = ND_AGAIN;

    while (may_send(test, sent)) {
        uint32_t from = test->at % ND__PATTERN_PERIOD;
        uint32_t len = nd__stream_min(test->len - test->at, ND__PATTERN_BYTES - from);
        len = nd__stream_min(test->left_bytes, len);
        bool last = test->at + len == test->len || test->left_bytes == len;
        n = port->tx(test->session.conn, nd__pattern + from, len,
                     last ? ND_TX_STATIC : ND_TX_STATIC | ND_TX_MORE);
        if (n <= 0) {
            break;
        }
        sent += (uint32_t)n;
        test->left_bytes -= test->amount != UINT64_MAX ? (uint32_t)n : 0;
        test->at += (uint32_t)n;
        if (test->at == test->len) {
            test->at = 0;
            nd_pace_step(&test->pace);
        }
    }
    if (sent > 0) {
        nd_session_moved(&test->session, &test->flow.tx, sent);
    }
    test->session.more = n != ND_AGAIN && may_send(test, 0);
    return n > 0 || n == ND_AGAIN ? (int32_t)sent : n;
}

static bool is_sent(const struct nd_iperf_test *test) {
    return test->left_bytes == 0 || test->iperf->agent->now >= test->until;
}

/* Our direction is over: FIN. Returns ND_OK once it and all before it are acknowledged. */
static int end_sending(struct nd_iperf_test *test) {
    test->tx_ended = true;
    test->until = UINT64_MAX;
    return test->iperf->agent->cfg.port->end(test->session.conn);
}

/* Answers to our header, and nothing else of interest. ND_AGAIN, ND_EOF or the error. */
static int32_t drop_received(struct nd_iperf_test *test) {
    const struct nd_port *port = test->iperf->agent->cfg.port;
    const void *bytes;
    int32_t n;

    while ((n = port->rx(test->session.conn, &bytes)) > 0) {
        port->rx_done(test->session.conn, (uint32_t)n);
    }
    return n;
}

/* Send what is due. False when the test is over. */
static bool run_sending(struct nd_iperf_test *test, bool *again) {
    int32_t n = send_blocks(test);

    if (n < 0) {
        finish(test, n, ND_NO_SAMPLES, NULL);
        return false;
    }
    *again |= test->session.more;
    if (is_sent(test)) {
        *again = true;
        end_sending(test);
        test->state = test->receives && !test->rx_ended ? ND_IPERF_RUN : ND_IPERF_END;
    } else if (test->pace.due > test->iperf->agent->now && test->pace.due < test->session.wake) {
        test->session.wake = test->pace.due; /* else it waits for the stack, which will say */
    }
    return true;
}

/* Receive what is there. False when the test is over. */
static bool run_receiving(struct nd_iperf_test *test, bool *again) {
    int32_t n = nd__stream_take(&test->session, &test->flow.rx, ND_CFG_POLL_BYTES);

    if (n > 0 || n == ND_AGAIN) {
        *again |= test->session.more;
        return true;
    }
    if (n != ND_EOF) {
        finish(test, n, ND_NOT_SUPPORTED, NULL);
        return false;
    }
    test->rx_ended = true;
    *again = true;
    if (!test->sends || test->tx_ended) {
        test->state = ND_IPERF_END;
    }
    return true;
}

static bool is_over_limit(const struct nd_iperf_test *test) {
    return test->server && !test->sends && test->iperf->agent->now >= test->until;
}

static bool run(struct nd_iperf_test *test) {
    bool again = false;

    nd__iperf_tick(test);
    if (is_over_limit(test)) {
        finish(test, ND_E_STOPPED, ND_NOT_SUPPORTED, "the owner's limit of time is reached");
        return true;
    }
    if (test->receives && !test->rx_ended && !run_receiving(test, &again)) {
        return true;
    }
    if (!test->receives) {
        drop_received(test);
    }
    if (test->sends && !test->tx_ended && !run_sending(test, &again)) {
        return true;
    }
    return again;
}

/* Both directions are ending. A receiver waits for its own FIN to go out, a sender until all is
 * acknowledged: that is the tail. What still comes is read, so that nothing is reset. */
static bool end(struct nd_iperf_test *test) {
    int result = end_sending(test);
    bool tail = test->sends && result == ND_OK;

    drop_received(test);
    test->session.wake = UINT64_MAX;
    if (result == ND_AGAIN) {
        return false;
    }
    finish(test, result,
           tail ? nd__session_tail(&test->session, result, test->flow.tx.last)
                : (int64_t)ND_NOT_SUPPORTED,
           NULL);
    return true;
}

/* ---- the session --------------------------------------------------------------------- */

static uint64_t later(const struct nd_iperf_test *test, uint32_t ns) {
    const struct nd_agent *agent = test->iperf->agent;

    return agent->now + nd_clock_ticks(ns, agent->cfg.clock->hz);
}

/* A test back comes as soon as it is asked for, and the listener may not be there yet. True when
 * another attempt is to be made. */
static bool may_dial_again(struct nd_iperf_test *test, int status) {
    if (!test->server || status != ND_E_REFUSED || test->tries == DIAL_TRIES) {
        return false;
    }
    test->tries++;
    test->iperf->agent->cfg.port->close(test->session.conn);
    test->session.conn = NULL;
    test->retry = later(test, DIAL_NS);
    return true;
}

static bool dial_again(struct nd_iperf_test *test) {
    struct nd_agent *agent = test->iperf->agent;

    test->session.wake = test->retry;
    if (agent->now < test->retry) {
        return false;
    }
    test->session.wake = UINT64_MAX;
    int result = agent->cfg.port->connect(agent->cfg.port_ctx, &test->peer, &test->session.conn);
    if (result != ND_OK) {
        test->session.conn = NULL;
        finish(test, result, ND_NO_SAMPLES, NULL);
    }
    return true;
}

static bool await_connection(struct nd_iperf_test *test) {
    if (test->session.conn == NULL) {
        return dial_again(test);
    }
    int status = test->iperf->agent->cfg.port->status(test->session.conn);
    if (status == ND_AGAIN) {
        return false;
    }
    if (may_dial_again(test, status)) {
        return true;
    }
    if (status != ND_OK) {
        finish(test, status, ND_NO_SAMPLES, NULL);
        return true;
    }
    nd__iperf_begin(test, test->back_ns);
    if (test->head_have < ND_IPERF_HEAD_BYTES) {
        test->state = ND_IPERF_HEAD;
    }
    return true;
}

static bool poll(struct nd_session *session) {
    struct nd_iperf_test *test = test_of(session);

    switch (test->state) {
    case ND_IPERF_CONNECT:
        return await_connection(test);
    case ND_IPERF_HEAD:
        return test->server ? read_head(test) : send_head(test);
    case ND_IPERF_RUN:
        return run(test);
    default:
        return end(test);
    }
}

static const struct nd_session_class kind = {.engine = "iperf", .poll = poll, .stop = stop};

void nd__iperf_tcp_serve(struct nd_iperf_test *test, struct nd_conn *conn) {
    struct nd_agent *agent = test->iperf->agent;
    struct nd_conn_info info;

    agent->cfg.port->info(conn, &info);
    test->peer = info.peer;
    test->server = true;
    test->state = ND_IPERF_HEAD;
    test->begin = agent->now;
    nd_session_join(&test->session, &kind, agent, conn);
}

void nd__iperf_tcp_connect(struct nd_iperf_test *test, struct nd_conn *conn, uint64_t duration_ns) {
    struct nd_agent *agent = test->iperf->agent;

    test->state = ND_IPERF_CONNECT;
    test->begin = agent->now;
    test->back_ns = duration_ns;
    nd_session_join(&test->session, &kind, agent, conn);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The sender of a UDP test, whichever end began it. */
#include <string.h>

#include "iperf_test.h"
#include "stream.h"

/* The last datagram is repeated until the receiver's report comes: as often as iperf does. */
#define END_TRIES 200u
#define END_NS    10000000u

/* A receiver that sends no report (-R) gets it so often. */
#define QUIET_TRIES 3u

/* Where the stack had no room for a datagram: try again then. */
#define ROOM_NS 1000000u

static struct nd_iperf_test *test_of(struct nd_session *session) {
    return (struct nd_iperf_test *)session;
}

static void finish(struct nd_iperf_test *test, int result, const struct nd__iperf_peer *peer,
                   const char *message) {
    nd__iperf_report(test, result, peer, ND_NOT_SUPPORTED, message);
    nd__iperf_leave(test);
}

static void stop(struct nd_session *session, int why) {
    struct nd_iperf_test *test = test_of(session);

    test->back_after = false;
    finish(test, why, NULL, NULL);
}

static uint64_t later(const struct nd_iperf_test *test, uint32_t ns) {
    const struct nd_agent *agent = test->iperf->agent;

    return agent->now + nd_clock_ticks(ns, agent->cfg.clock->hz);
}

/* ---- one datagram -------------------------------------------------------------------- */

/* Length of the next one. The last must hold an id: what remains for it is not too short. */
static uint32_t next_length(const struct nd_iperf_test *test) {
    if (test->left_bytes <= test->len) {
        return (uint32_t)test->left_bytes;
    }
    if (test->left_bytes - test->len < ND_IPERF_DATAGRAM_MIN) {
        return (uint32_t)(test->left_bytes - ND_IPERF_DATAGRAM_MIN);
    }
    return test->len;
}

/* The buffer is shared by all tests: what differs is written anew. Returns as udp_tx() does. */
static int32_t send(struct nd_iperf_test *test, uint32_t len, bool end) {
    struct nd_iperf *iperf = test->iperf;
    uint32_t head = nd__stream_min(len - ND__IPERF_DATAGRAM_BYTES, ND_IPERF_HEAD_BYTES);

    nd__iperf_stamp_advance(test);
    nd__iperf_put_datagram(iperf->buffer, test->next_id, end, test->stamp.s, test->stamp.us);
    memcpy(iperf->buffer + ND__IPERF_DATAGRAM_BYTES, test->head, head);
    return iperf->agent->cfg.port->udp_tx(nd__iperf_socket(test), &test->peer, iperf->buffer, len,
                                          0);
}

/* ---- the test ------------------------------------------------------------------------ */

static void begin_end(struct nd_iperf_test *test) {
    test->state = ND_IPERF_END;
    test->tries = 1;
    test->retry = later(test, END_NS);
    test->session.wake = test->retry;
}

/* A datagram that the stack has no room for spends no id. */
static bool refused(struct nd_iperf_test *test, int32_t n) {
    if (n != ND_AGAIN) {
        finish(test, n, NULL, NULL);
        return true;
    }
    test->tx_failures++;
    test->session.wake = later(test, ROOM_NS);
    return false;
}

/* When the time is up the last one leaves at once: at a slow rate its turn would be far away. */
static bool may_send(const struct nd_iperf_test *test) {
    uint64_t now = test->iperf->agent->now;

    return nd_pace_due(&test->pace, now) || now >= test->until;
}

static bool run(struct nd_iperf_test *test) {
    uint64_t now = test->iperf->agent->now;
    uint32_t sent = 0;
    bool end = false;
    int32_t n = 0;

    nd__iperf_tick(test);
    while (!end && sent < ND_CFG_POLL_BYTES && may_send(test)) {
        uint32_t len = next_length(test);
        end = now >= test->until || len == test->left_bytes;
        n = send(test, len, end);
        if (n < 0) {
            break;
        }
        sent += len;
        test->tx_datagrams++;
        test->next_id++;
        test->last_len = len;
        test->left_bytes -= test->amount != UINT64_MAX ? len : 0;
        nd_pace_step(&test->pace);
    }
    if (sent > 0) {
        nd_session_moved(&test->session, &test->flow.tx, sent);
    }
    if (n < 0) {
        return refused(test, n);
    }
    if (end) {
        begin_end(test);
        return true;
    }
    if (test->pace.due < test->session.wake) {
        test->session.wake = test->pace.due;
    }
    return may_send(test);
}

/* ---- its end ------------------------------------------------------------------------- */

static void take_report(struct nd_iperf_test *test, const struct nd__iperf_report *report) {
    uint64_t lost = report->lost < report->datagrams ? report->lost : report->datagrams;
    const struct nd__iperf_peer peer = {
        .figures = {.datagrams = report->datagrams - lost,
                    .bytes = report->bytes,
                    .expected = report->datagrams,
                    .lost = lost,
                    .reordered = report->reordered,
                    .sent_ns = ND_NOT_SUPPORTED,
                    .jitter_ns = (int64_t)(report->jitter_us * 1000u)},
        .ns = report->us * 1000u,
    };

    finish(test, ND_OK, &peer, NULL);
}

/* Look for the report among what has come. True when it was there and the test is over. */
static bool receive_report(struct nd_iperf_test *test) {
    const struct nd_port *port = test->iperf->agent->cfg.port;
    struct nd__iperf_report report;
    struct nd_addr from;
    const void *bytes;
    int32_t n;

    while ((n = port->udp_rx(test->session.conn, &from, &bytes)) > 0) {
        bool found = nd_addr_equal(&from, &test->peer) &&
                     nd__iperf_read_report((const uint8_t *)bytes, (uint32_t)n, &report);
        port->rx_done(test->session.conn, (uint32_t)n);
        if (found) {
            take_report(test, &report);
            return true;
        }
    }
    return false;
}

static void repeat_end(struct nd_iperf_test *test) {
    test->next_id--;
    send(test, test->last_len, true);
    test->next_id++;
    test->tries++;
    test->retry = later(test, END_NS);
}

/* True when the test is over. */
static bool end(struct nd_iperf_test *test) {
    uint8_t tries = test->quiet ? QUIET_TRIES : END_TRIES;

    if (!test->quiet && receive_report(test)) {
        return true;
    }
    if (test->iperf->agent->now >= test->retry) {
        if (test->tries == tries) {
            finish(test, test->quiet ? ND_OK : ND_E_TIMEOUT, NULL,
                   test->quiet ? NULL
                               : "no report came: the receiver is not there, or does not report");
            return true;
        }
        repeat_end(test);
    }
    test->session.wake = test->retry;
    return false;
}

static bool poll(struct nd_session *session) {
    struct nd_iperf_test *test = test_of(session);

    return test->state == ND_IPERF_RUN ? run(test) : end(test);
}

static const struct nd_session_class kind = {.engine = "iperf", .poll = poll, .stop = stop};

void nd__iperf_udp_send(struct nd_iperf_test *test, struct nd_conn *conn, uint64_t duration_ns) {
    struct nd_agent *agent = test->iperf->agent;

    test->next_id = 1;
    test->quiet = conn == NULL;
    nd_session_join(&test->session, &kind, agent, conn);
    test->session.patient = true; /* ends by itself; slow ones are silent for long */
    nd__iperf_stamp_start(test);
    nd__iperf_begin(test, duration_ns);
}

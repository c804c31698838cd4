/* SPDX-License-Identifier: BSD-3-Clause */
/* The receiver of a UDP test, whichever end began it. */
#include <string.h>

#include "iperf_test.h"
#include "stream.h"

/* A request to be sent to is repeated until traffic arrives. */
#define ASK_TRIES 30u
#define ASK_NS    100000000u

/* After the report, a sender that repeats its end is answered for so long since its last one. */
#define LINGER_NS 500000000u

static struct nd_iperf_test *test_of(struct nd_session *session) {
    return (struct nd_iperf_test *)session;
}

static uint64_t later(const struct nd_iperf_test *test, uint32_t ns) {
    const struct nd_agent *agent = test->iperf->agent;

    return agent->now + nd_clock_ticks(ns, agent->cfg.clock->hz);
}

static void finish(struct nd_iperf_test *test, int result, const char *message) {
    nd__iperf_report(test, result, NULL, ND_NOT_SUPPORTED, message);
    nd__iperf_leave(test);
}

static void stop(struct nd_session *session, int why) {
    struct nd_iperf_test *test = test_of(session);

    test->back_after = false;
    if (test->state == ND_IPERF_LINGER) {
        nd__iperf_leave(test);
    } else {
        finish(test, why, NULL);
    }
}

/* ---- the end ------------------------------------------------------------------------- */

/* Tell the sender what arrived, in the layout that it reads. One that is lost is asked for again.
 * Who claims to be the sender may not be, so it never gets more bytes than came in its name. */
static void send_report(struct nd_iperf_test *test) {
    const struct nd_agent *agent = test->iperf->agent;
    uint8_t bytes[ND__IPERF_REPORT_BYTES];
    struct nd_sequence total;

    nd_sequence_total(&test->meter, &total);
    const struct nd__iperf_report report = {
        .bytes = test->flow.rx.bytes,
        .us = nd_agent_ns(agent, nd_span_elapsed(&test->flow.rx)) / 1000u,
        .lost = total.lost,
        .reordered = total.reordered,
        .datagrams = total.expected,
        .jitter_us = total.jitter_ns > 0 ? (uint64_t)total.jitter_ns / 1000u : 0,
    };
    uint32_t len = nd__iperf_put_report(bytes, &report, test->modern);
    if (len <= test->credit) {
        test->credit -= len;
        agent->cfg.port->udp_tx(nd__iperf_socket(test), &test->peer, bytes, len, 0);
    }
}

static void take_end(struct nd_iperf_test *test, const struct nd__iperf_datagram *datagram) {
    test->modern |= datagram->modern;
    if (!test->server) {
        finish(test, ND_OK, NULL);
        return;
    }
    send_report(test);
    nd__iperf_report(test, ND_OK, NULL, ND_NOT_SUPPORTED, NULL);
    test->state = ND_IPERF_LINGER;
    test->retry = later(test, LINGER_NS);
}

/* ---- datagrams ----------------------------------------------------------------------- */

static void count(struct nd_iperf_test *test, const struct nd__iperf_datagram *datagram,
                  uint32_t len) {
    uint64_t id = datagram->id;

    /* Ids of 32 bits have a sign, and senders that run on begin again with 0. */
    if (!test->wide) {
        id = nd_sequence_extend(&test->meter, (uint32_t)id, 31);
    }
    uint64_t sent_ns = nd_sequence_stamp(&test->meter, datagram->s, datagram->us);
    nd_sequence_add(&test->meter, id, len, test->iperf->agent->now, sent_ns);
    nd_session_moved(&test->session, &test->flow.rx, len);
}

void nd__iperf_udp_take(struct nd_iperf_test *test, const uint8_t *bytes, uint32_t len) {
    struct nd__iperf_datagram datagram;

    if (test->sends || !nd__iperf_read_datagram(bytes, len, test->wide, &datagram)) {
        return;
    }
    test->credit += len;
    if (test->state == ND_IPERF_LINGER) {
        if (datagram.end) {
            send_report(test);
            test->retry = later(test, LINGER_NS);
        }
        return;
    }
    count(test, &datagram, len);
    if (datagram.end) {
        take_end(test, &datagram);
    }
}

/* ---- a server's receiver: datagrams are handed to it -------------------------------- */

static bool poll_served(struct nd_session *session) {
    struct nd_iperf_test *test = test_of(session);
    uint64_t now = test->iperf->agent->now;
    uint64_t gone = session->active + test->iperf->silence;

    if (test->state == ND_IPERF_LINGER) {
        session->wake = test->retry;
        if (now >= test->retry) {
            nd__iperf_leave(test);
        }
        return false;
    }
    nd__iperf_tick(test);
    if (gone < session->wake) {
        session->wake = gone;
    }
    if (now >= test->until) {
        finish(test, ND_E_STOPPED, "the owner's limit of time is reached");
        return true;
    }
    if (now >= gone) {
        finish(test, ND_E_TIMEOUT, NULL);
        return true;
    }
    return false;
}

static const struct nd_session_class served_kind = {
    .engine = "iperf", .poll = poll_served, .stop = stop};

void nd__iperf_udp_receive(struct nd_iperf_test *test, const struct nd__iperf_first *first) {
    struct nd_agent *agent = test->iperf->agent;

    test->receives = true;
    test->wide = first->wide;
    test->modern = first->modern;
    nd_sequence_start(&test->meter, 1, agent->cfg.clock->hz);
    nd_session_join(&test->session, &served_kind, agent, NULL);
    test->session.patient = true; /* silence has its own, shorter limit */
    nd__iperf_begin(test, 0);
}

/* ---- a client's receiver: asks, then listens to its own socket ---------------------- */

static void ask(struct nd_iperf_test *test) {
    struct nd_iperf *iperf = test->iperf;

    nd__iperf_put_datagram(iperf->buffer, 1, false, 0, 0);
    memcpy(iperf->buffer + ND__IPERF_DATAGRAM_BYTES, test->head, ND_IPERF_HEAD_BYTES);
    iperf->agent->cfg.port->udp_tx(test->session.conn, &test->peer, iperf->buffer,
                                   ND__IPERF_DATAGRAM_BYTES + ND_IPERF_HEAD_BYTES, 0);
    test->tries++;
    test->retry = later(test, ASK_NS);
}

/* Until the first datagram comes. */
static bool poll_asking(struct nd_iperf_test *test) {
    test->session.wake = test->retry;
    if (test->iperf->agent->now < test->retry) {
        return false;
    }
    if (test->tries == ASK_TRIES) {
        finish(test, ND_E_TIMEOUT, "nobody sends: is an iperf 2 server for UDP there?");
        return true;
    }
    ask(test);
    return false;
}

static bool take_all(struct nd_iperf_test *test) {
    const struct nd_port *port = test->iperf->agent->cfg.port;
    struct nd_conn *socket = test->session.conn;
    uint32_t taken = 0;
    struct nd_addr from;
    const void *bytes;
    int32_t n;

    while (taken < ND_CFG_POLL_BYTES && test->session.conn != NULL &&
           (n = port->udp_rx(socket, &from, &bytes)) > 0) {
        taken += (uint32_t)n;
        if (nd_addr_equal(&from, &test->peer)) {
            if (test->state == ND_IPERF_ASK) {
                nd__iperf_begin(test, 0);
            }
            nd__iperf_udp_take(test, (const uint8_t *)bytes, (uint32_t)n);
        }
        if (test->session.conn != NULL) {
            port->rx_done(socket, (uint32_t)n);
        }
    }
    return taken >= ND_CFG_POLL_BYTES;
}

static bool poll_client(struct nd_session *session) {
    struct nd_iperf_test *test = test_of(session);
    bool again = take_all(test);

    if (session->conn == NULL) {
        return true;
    }
    return test->state == ND_IPERF_ASK ? poll_asking(test) : poll_served(session) || again;
}

static const struct nd_session_class client_kind = {
    .engine = "iperf", .poll = poll_client, .stop = stop};

void nd__iperf_udp_ask(struct nd_iperf_test *test, struct nd_conn *conn) {
    struct nd_agent *agent = test->iperf->agent;

    test->state = ND_IPERF_ASK;
    test->receives = true;
    test->begin = agent->now;
    nd_sequence_start(&test->meter, 1, agent->cfg.clock->hz);
    nd_session_join(&test->session, &client_kind, agent, conn);
    test->session.patient = true;
    ask(test);
}

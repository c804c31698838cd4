/* SPDX-License-Identifier: BSD-3-Clause */
#include "iperf_test.h"

#include "span.h"

#include <string.h>

#include "pattern.h"
#include "udp_guard.h"

/* ---- places -------------------------------------------------------------------------- */

static struct nd_iperf_test *find_place(const struct nd_iperf *iperf) {
    struct nd_iperf_test *lingering = NULL;

    for (uint32_t i = 0; i < iperf->test_count; i++) {
        struct nd_iperf_test *test = &iperf->tests[i];
        if (test->state == ND_IPERF_FREE) {
            return test;
        }
        if (test->state == ND_IPERF_LINGER && !test->back_after) {
            lingering = test;
        }
    }
    return lingering;
}

bool nd__iperf_has_place(const struct nd_iperf *iperf) {
    return find_place(iperf) != NULL;
}

struct nd_iperf_test *nd__iperf_place(struct nd_iperf *iperf) {
    struct nd_iperf_test *test = find_place(iperf);

    if (test == NULL) {
        iperf->turned_away++;
        return NULL;
    }
    if (test->state == ND_IPERF_LINGER) {
        nd__iperf_leave(test);
    }
    *test = (struct nd_iperf_test){.iperf = iperf, .until = UINT64_MAX};
    return test;
}

static uint64_t ticks_of(const struct nd_iperf_test *test, uint64_t ns) {
    return nd_clock_ticks(ns, test->iperf->agent->cfg.clock->hz);
}

void nd__iperf_begin(struct nd_iperf_test *test, uint64_t duration_ns) {
    uint64_t now = test->iperf->agent->now;
    uint64_t max_ns = (uint64_t)test->iperf->limits.max_seconds * 1000000000u;

    if (test->server && max_ns > 0 && (duration_ns == 0 || duration_ns > max_ns)) {
        duration_ns = max_ns;
    }
    test->begin = now;
    test->cut = now;
    test->until = duration_ns > 0 ? now + ticks_of(test, duration_ns) : UINT64_MAX;
    test->cut_next = test->interval > 0 ? now + test->interval : UINT64_MAX;
    test->planned = test->until;
    test->state = ND_IPERF_RUN;
    if (test->sends) {
        /* Checked before: the length is in range. */
        nd_pace_start(&test->pace, now, test->iperf->agent->cfg.clock->hz, test->len * 8,
                      test->pace.rate, test->pace.burst);
    }
}

void nd__iperf_prepare(struct nd_iperf_test *test, uint64_t amount, uint32_t len, uint64_t bit_s) {
    uint64_t max_bit_s = test->server ? test->iperf->limits.max_bit_s : 0;

    test->amount = amount;
    test->left_bytes = amount;
    test->len = len;
    test->pace.rate = max_bit_s > 0 && (bit_s == 0 || bit_s > max_bit_s) ? max_bit_s : bit_s;
}

/* ---- reports ------------------------------------------------------------------------- */

static struct nd_report draft(const struct nd_iperf_test *test) {
    return (struct nd_report){
        .role = test->server ? "server" : "client",
        .phase = !test->sends     ? "rx"
                 : test->receives ? "duplex"
                                  : "tx",
        .stream = test->stream,
        .peer = test->peer,
        .begin = test->begin,
        .tail_ticks = ND_NOT_SUPPORTED,
        .buflen = test->len,
    };
}

/* Report what moved since the latest cut. end: of the interval [ticks], 0 = now. */
static void report_interval(struct nd_iperf_test *test, uint64_t end) {
    struct nd_report report = draft(test);
    struct nd_sequence figures;

    report.interval = true;
    report.begin = test->cut;
    report.end = end;
    report.flow.rx = nd__span_since(&test->flow.rx, &test->cut_flow.rx, test->cut);
    report.flow.tx = nd__span_since(&test->flow.tx, &test->cut_flow.tx, test->cut);
    report.tx_datagrams = test->tx_datagrams - test->cut_datagrams;
    if (test->udp && test->receives) {
        nd_sequence_cut(&test->meter, &figures);
        report.datagrams = &figures;
    }
    test->cut = test->iperf->agent->now;
    test->cut_flow = test->flow;
    test->cut_datagrams = test->tx_datagrams;
    nd_session_report(&test->session, &report);
}

/* What would remain after an interval so near to the end is a part of it. */
static bool is_near_end(const struct nd_iperf_test *test) {
    return test->cut_next <= test->planned && test->planned - test->cut_next < test->interval / 8;
}

void nd__iperf_tick(struct nd_iperf_test *test) {
    uint64_t now = test->iperf->agent->now;

    if (now >= test->cut_next) {
        if (!is_near_end(test)) {
            report_interval(test, 0);
        }
        test->cut_next += test->interval;
        if (test->cut_next <= now) {
            test->cut_next = now + test->interval;
        }
    }
    test->session.wake = test->cut_next < test->until ? test->cut_next : test->until;
}

/* When a test ended: for UDP at its last datagram, for the wait for an end mark or a report is no
 * part of it; 0 = now. */
static uint64_t end_of(const struct nd_iperf_test *test) {
    if (!test->udp) {
        return 0;
    }
    return test->sends ? test->flow.tx.last : test->flow.rx.last;
}

/* An interval of no length is none. */
static void report_rest(struct nd_iperf_test *test) {
    if (test->interval > 0 && test->state >= ND_IPERF_RUN &&
        (test->flow.rx.bytes > test->cut_flow.rx.bytes ||
         test->flow.tx.bytes > test->cut_flow.tx.bytes)) {
        report_interval(test, end_of(test));
    }
}

void nd__iperf_report(struct nd_iperf_test *test, int result, const struct nd__iperf_peer *peer,
                      int64_t tail_ticks, const char *message) {
    struct nd_report report;
    struct nd_sequence figures;

    report_rest(test);
    report = draft(test);
    report.last = true;
    report.result = result;
    report.flow = test->flow;
    report.tail_ticks = tail_ticks;
    report.tx_datagrams = test->tx_datagrams;
    report.tx_failures = test->tx_failures;
    report.message = message;
    if (test->sends && !test->receives && test->amount != UINT64_MAX) {
        report.expected_bytes = test->amount;
    }
    if (test->udp && test->receives) {
        nd_sequence_total(&test->meter, &figures);
        report.datagrams = &figures;
    }
    report.end = end_of(test);
    if (peer != NULL) {
        report.peer_datagrams = &peer->figures;
        report.peer_ns = peer->ns;
    }
    nd_session_report(&test->session, &report);
}

/* ---- tests back ---------------------------------------------------------------------- */

void nd__iperf_read_order(const struct nd__iperf_header *header, bool udp,
                          struct nd__iperf_order *order) {
    bool usable = header->len >= ND_IPERF_DATAGRAM_MIN &&
                  header->len <= (udp ? ND_IPERF_DATAGRAM_MAX : ND_IPERF_TCP_BYTES * 8);

    *order = (struct nd__iperf_order){
        .amount = UINT64_MAX,
        .duration_ns = 0,
        .bit_s = header->rate,
        .len = udp ? ND_IPERF_DATAGRAM_BYTES : ND_IPERF_TCP_BYTES,
    };
    if (usable) {
        order->len = header->len;
    }
    if (udp && order->bit_s == 0) {
        order->bit_s = ND_IPERF_UDP_BIT_S;
    }
    if (header->amount > 0) {
        order->amount = (uint32_t)header->amount;
    } else if (header->amount < 0) {
        order->duration_ns = ((uint32_t)0 - (uint32_t)header->amount) * (uint64_t)10000000u;
    } else {
        order->duration_ns = ND_IPERF_SECONDS * (uint64_t)1000000000u;
    }
}

void nd__iperf_plan(struct nd_iperf_test *test, const struct nd__iperf_header *header) {
    struct nd__iperf_order order;

    nd__iperf_read_order(header, test->udp, &order);
    if (order.duration_ns > 0) {
        uint64_t planned = test->begin + ticks_of(test, order.duration_ns);
        test->planned = planned < test->planned ? planned : test->planned;
    }
}

static int connect_back(struct nd_iperf_test *back, const struct nd__iperf_order *order) {
    struct nd_iperf *iperf = back->iperf;
    const struct nd_port *port = iperf->agent->cfg.port;
    const struct nd_addr any = {0};
    struct nd_conn *conn;
    int result;

    if (back->udp) {
        result = port->udp_open(iperf->agent->cfg.port_ctx, &any, &conn);
        if (result == ND_OK) {
            nd__iperf_udp_send(back, conn, order->duration_ns);
        }
        return result;
    }
    result = port->connect(iperf->agent->cfg.port_ctx, &back->peer, &conn);
    if (result == ND_OK) {
        nd__iperf_tcp_connect(back, conn, order->duration_ns);
    }
    return result;
}

/* A test back begins like any client's, but has no header: the listener knows why it comes. */
static void begin_back(struct nd_iperf *iperf, bool udp, const struct nd_addr *to,
                       const struct nd__iperf_order *order) {
    struct nd_iperf_test *back;

    if (udp && (!iperf->limits.udp_to_askers || order->len > iperf->buffer_bytes ||
                !nd__udp_guard_allows(to))) {
        iperf->turned_away++;
        return;
    }
    back = nd__iperf_place(iperf);
    if (back == NULL) {
        return;
    }
    back->server = true;
    back->udp = udp;
    back->sends = true;
    back->peer = *to;
    back->interval = ticks_of(back, iperf->interval_ns);
    back->head_have = ND_IPERF_HEAD_BYTES; /* none to send */
    memcpy(back->head, nd__pattern + ND__IPERF_DATAGRAM_BYTES, sizeof back->head);
    nd__iperf_prepare(back, order->amount, order->len, order->bit_s);
    if (connect_back(back, order) != ND_OK) {
        iperf->turned_away++;
    }
}

void nd__iperf_test_back(struct nd_iperf_test *test, const struct nd__iperf_header *header) {
    struct nd__iperf_order order;

    if ((header->flags & ND__IPERF_BACK) == 0 || header->port == 0 || header->port > UINT16_MAX) {
        return;
    }
    nd__iperf_read_order(header, test->udp, &order);
    test->back_to = test->peer;
    test->back_to.port = (uint16_t)header->port;
    if ((header->flags & ND__IPERF_NOW) != 0) {
        begin_back(test->iperf, test->udp, &test->back_to, &order);
        return;
    }
    test->back_after = true;
    test->back_amount = order.amount;
    test->back_ns = order.duration_ns;
    test->back_bit_s = order.bit_s;
    test->back_len = order.len;
}

void nd__iperf_leave(struct nd_iperf_test *test) {
    const struct nd__iperf_order order = {.amount = test->back_amount,
                                          .duration_ns = test->back_ns,
                                          .bit_s = test->back_bit_s,
                                          .len = test->back_len};
    const struct nd_addr to = test->back_to;
    bool back = test->back_after;
    bool udp = test->udp;

    nd_session_leave(&test->session);
    test->state = ND_IPERF_FREE;
    if (back) {
        begin_back(test->iperf, udp, &to, &order);
    }
}

/* ---- stamps -------------------------------------------------------------------------- */

void nd_iperf_set_time(struct nd_iperf *iperf, uint64_t us) {
    iperf->epoch_us = us - nd_agent_ns(iperf->agent, iperf->agent->now) / 1000u;
}

void nd__iperf_stamp_start(struct nd_iperf_test *test) {
    const struct nd_agent *agent = test->iperf->agent;
    uint32_t hz = agent->cfg.clock->hz;
    uint64_t us = test->iperf->epoch_us + nd_agent_ns(agent, agent->now) / 1000u;

    test->stamp = (struct nd_iperf_stamp){
        .ticks = agent->now,
        .s = (uint32_t)(us / 1000000u),
        .us = (uint32_t)(us % 1000000u),
        .tick_us = 1000000u / hz,
        .tick_part = (uint32_t)(((uint64_t)(1000000u % hz) << 32) / hz),
    };
}

void nd__iperf_stamp_advance(struct nd_iperf_test *test) {
    struct nd_iperf_stamp *stamp = &test->stamp;
    uint64_t now = test->iperf->agent->now;
    uint64_t ticks = now - stamp->ticks;

    if (ticks >> 32 != 0) {
        nd__iperf_stamp_start(test);
        return;
    }
    uint64_t part = ticks * stamp->tick_part + stamp->part;
    uint64_t us = stamp->us + ticks * stamp->tick_us + (part >> 32);
    if (us >= 2000000u) {
        nd__iperf_stamp_start(test);
        return;
    }
    if (us >= 1000000u) {
        us -= 1000000u;
        stamp->s++;
    }
    stamp->us = (uint32_t)us;
    stamp->part = (uint32_t)part;
    stamp->ticks = now;
}

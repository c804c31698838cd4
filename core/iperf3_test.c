/* SPDX-License-Identifier: BSD-3-Clause */
#include "iperf3_test.h"

#include "span.h"

_Static_assert(sizeof(struct nd_iperf3_server) <= ND_IPERF3_SERVER_BYTES &&
                   sizeof(struct nd_iperf3_client) <= ND_IPERF3_CLIENT_BYTES &&
                   sizeof(struct nd_iperf3_stream) <= ND_IPERF3_STREAM_BYTES,
               "the RAM is what the header says");

/* A stack tells nobody that something was acknowledged: look again after this [ns]. */
#define LOOK_NS 1000000u

uint64_t nd__iperf3_after(const struct nd_iperf3_test *test, uint64_t ns) {
    const struct nd_agent *agent = test->session.agent;

    return agent->now + nd_clock_ticks(ns, agent->cfg.clock->hz);
}

static uint64_t seconds(const struct nd_iperf3_test *test, uint64_t s) {
    return s * test->session.agent->cfg.clock->hz;
}

/* ---- beginning --------------------------------------------------------------------- */

void nd__iperf3_reset(struct nd_iperf3_test *test, const struct nd_iperf3_memory *memory) {
    *test = (struct nd_iperf3_test){
        .memory = *memory,
        .until = UINT64_MAX,
        .limit = UINT64_MAX,
        .retry = UINT64_MAX,
    };
    for (uint32_t i = 0; i < memory->stream_count; i++) {
        memory->streams[i] = (struct nd_iperf3_stream){0};
    }
    nd__iperf3_default_params(&test->params);
}

/* In a test of both directions the client opens all that it sends by, then all it receives by. */
struct nd_iperf3_stream *nd__iperf3_add_stream(struct nd_iperf3_test *test) {
    struct nd_iperf3_stream *stream = &test->memory.streams[test->stream_used];
    bool client_sends =
        test->params.bidir ? test->stream_used < test->params.parallel : !test->params.reverse;

    stream->id = nd__iperf3_stream_id(test->stream_used);
    stream->sends = client_sends != test->server;
    test->stream_used++;
    return stream;
}

bool nd__iperf3_receives(const struct nd_iperf3_test *test) {
    return test->params.bidir || test->params.reverse != test->server;
}

bool nd__iperf3_sends(const struct nd_iperf3_test *test) {
    return test->params.bidir || test->params.reverse == test->server;
}

static void begin_counting(struct nd_iperf3_test *test) {
    const struct nd_agent *agent = test->session.agent;

    test->begin = agent->now;
    test->begin_idle = agent->poll_idle;
    test->flow = (struct nd_flow){0};
    test->before = test->flow;
    test->figures = (struct nd_sequence){.sent_ns = ND_NO_SAMPLES, .jitter_ns = ND_NO_SAMPLES};
    test->interval_from = agent->now;
    test->interval_due = agent->now + test->interval;
    test->tx_datagrams = 0;
    test->tx_failures = 0;
}

/* Datagrams are whole, since a peer may wait until one is complete; bytes are exact. */
static uint64_t goal(const struct nd_iperf3_params *params) {
    uint64_t blocks = params->blocks;

    if (params->bytes > 0 && !params->udp) {
        return params->bytes;
    }
    if (params->bytes > 0) {
        blocks = params->bytes / params->length + (params->bytes % params->length > 0);
    }
    return blocks > 0 && blocks < UINT64_MAX / params->length ? blocks * params->length
                                                              : UINT64_MAX;
}

void nd__iperf3_start(struct nd_iperf3_test *test, uint64_t duration_s) {
    const struct nd_iperf3_params *params = &test->params;
    uint64_t now = test->session.agent->now;

    begin_counting(test);
    test->started = true;
    test->running = now;
    test->moved = now;
    test->counts_from = now + seconds(test, params->omit_s);
    test->omitting = params->omit_s > 0;
    test->until = duration_s > 0 ? test->counts_from + seconds(test, duration_s) : UINT64_MAX;
    test->goal_bytes = goal(params);
    test->budget_bytes = test->goal_bytes;
    nd__iperf3_start_streams(test);
}

/* ---- figures of all streams ------------------------------------------------------------ */

/* Add what a stream received to the figures; the streams were under way side by side. */
static void add_beside(struct nd_sequence *sum, const struct nd_sequence *one) {
    sum->datagrams += one->datagrams;
    sum->bytes += one->bytes;
    sum->expected += one->expected;
    sum->lost += one->lost;
    sum->recovered += one->recovered;
    sum->duplicates += one->duplicates;
    sum->reordered += one->reordered;
    sum->late += one->late;
    sum->extra_bytes += one->extra_bytes;
    sum->extent = one->extent > sum->extent ? one->extent : sum->extent;
    if (one->sent_ns >= 0) {
        sum->sent_gaps += one->sent_gaps;
        sum->sent_ns = one->sent_ns > sum->sent_ns ? one->sent_ns : sum->sent_ns;
        sum->jitter_ns = one->jitter_ns > sum->jitter_ns ? one->jitter_ns : sum->jitter_ns;
    } else if (sum->sent_ns < 0) {
        sum->sent_ns = one->sent_ns;
        sum->jitter_ns = one->jitter_ns;
    }
}

/* The figures of all streams since the latest cut, and cut here. Of the jitters, the largest. */
static void cut(struct nd_iperf3_test *test, struct nd_sequence *sum) {
    *sum = (struct nd_sequence){.sent_ns = ND_NO_SAMPLES, .jitter_ns = ND_NO_SAMPLES};
    for (uint32_t i = 0; i < test->stream_used; i++) {
        struct nd_iperf3_stream *stream = &test->memory.streams[i];
        struct nd_sequence one;
        if (!stream->sends) {
            nd_sequence_cut(&stream->meter, &one);
            add_beside(sum, &one);
        }
    }
}

/* Add an interval to the figures of the test: what one interval lost, another recovered. */
static void add_after(struct nd_sequence *sum, const struct nd_sequence *interval) {
    int64_t sent_ns = sum->sent_ns;

    add_beside(sum, interval);
    sum->lost -= interval->recovered < sum->lost ? interval->recovered : sum->lost;
    sum->recovered = 0;
    sum->jitter_ns = interval->jitter_ns >= 0 ? interval->jitter_ns : sum->jitter_ns;
    if (sent_ns >= 0 && interval->sent_ns >= 0) {
        sum->sent_ns = sent_ns + interval->sent_ns;
    }
}

/* ---- the clock ----------------------------------------------------------------------- */

static void end_omission(struct nd_iperf3_test *test) {
    struct nd_sequence omitted;

    test->omitting = false;
    for (uint32_t i = 0; i < test->stream_used; i++) {
        struct nd_iperf3_stream *stream = &test->memory.streams[i];
        struct nd_sequence total;
        nd_sequence_total(&stream->meter, &total);
        stream->omitted_bytes = stream->bytes;
        stream->omitted_packets = stream->sends ? stream->packets : total.expected;
        stream->omitted_errors = stream->sends ? 0 : total.lost;
    }
    cut(test, &omitted);
    begin_counting(test);
}

static const char *phase_name(const struct nd_iperf3_test *test) {
    if (test->params.bidir) {
        return "bidir";
    }
    return nd__iperf3_sends(test) ? "tx" : "rx";
}

/* The part of a report that an interval and the whole have in common. */
static struct nd_report start_report(const struct nd_iperf3_test *test) {
    return (struct nd_report){
        .role = test->server ? "server" : "client",
        .phase = phase_name(test),
        .flow = test->flow,
        .begin = test->begin,
        .tail_ticks = ND_NOT_SUPPORTED,
        .buflen = test->params.length,
    };
}

static bool receives_datagrams(const struct nd_iperf3_test *test) {
    return test->started && test->params.udp && nd__iperf3_receives(test);
}

/* Report what moved since the interval before, up to `end` [ticks]. */
static void report_interval(struct nd_iperf3_test *test, uint64_t end) {
    struct nd_sequence figures;
    struct nd_report report = start_report(test);

    report.interval = true;
    report.begin = test->interval_from;
    report.end = end;
    report.flow.rx = nd__span_since(&report.flow.rx, &test->before.rx, test->before.rx.last);
    report.flow.tx = nd__span_since(&report.flow.tx, &test->before.tx, test->before.tx.last);
    if (receives_datagrams(test)) {
        cut(test, &figures);
        add_after(&test->figures, &figures);
        report.datagrams = &figures;
    }
    test->before = test->flow;
    test->interval_from = end;
    nd_session_report(&test->session, &report);
}

/* What would remain after an interval so near to the end is a part of it. */
static bool is_near_end(const struct nd_iperf3_test *test) {
    uint64_t planned = test->counts_from + seconds(test, test->params.time_s);
    uint64_t due = test->interval_due;
    uint64_t apart = due < planned ? planned - due : due - planned;

    return test->params.time_s > 0 && apart < test->interval / 8;
}

void nd__iperf3_tick(struct nd_iperf3_test *test) {
    uint64_t now = test->session.agent->now;

    if (test->omitting && now >= test->counts_from) {
        end_omission(test);
    }
    if (test->interval > 0 && !test->omitting && now >= test->interval_due) {
        if (!is_near_end(test)) {
            report_interval(test, now);
        }
        test->interval_due += test->interval;
    }
}

uint64_t nd__iperf3_tick_due(const struct nd_iperf3_test *test) {
    if (test->omitting) {
        return test->counts_from;
    }
    return test->interval > 0 ? test->interval_due : UINT64_MAX;
}

/* ---- end --------------------------------------------------------------------------- */

void nd__iperf3_await(struct nd_iperf3_test *test) {
    test->quiet_from = test->session.agent->now;
    test->acked_at = test->session.agent->now;
    test->limit = nd__iperf3_after(test, ND__IPERF3_PATIENCE_NS);
}

void nd__iperf3_wake_by(struct nd_iperf3_test *test, uint64_t at) {
    if (at < test->session.wake) {
        test->session.wake = at;
    }
}

bool nd__iperf3_ours_arrived(struct nd_iperf3_test *test) {
    uint64_t now = test->session.agent->now;
    uint32_t hz = test->session.agent->cfg.clock->hz;
    uint64_t unacked = nd__iperf3_unacked(test);
    uint64_t patience = nd_clock_ticks(unacked > 0 ? ND__IPERF3_STALL_NS : ND__IPERF3_TAKEN_NS, hz);

    if (!nd__iperf3_sends(test) || now >= test->limit) {
        return true;
    }
    if (unacked != test->unacked_bytes) {
        test->unacked_bytes = unacked;
        test->acked_at = now;
    }
    nd__iperf3_wake_by(test,
                       unacked > 0 ? nd__iperf3_after(test, LOOK_NS) : test->acked_at + patience);
    return now - test->acked_at >= patience;
}

bool nd__iperf3_theirs_arrived(struct nd_iperf3_test *test) {
    uint64_t now = test->session.agent->now;
    uint64_t from = test->moved > test->quiet_from ? test->moved : test->quiet_from;
    uint64_t quiet = nd_clock_ticks(ND__IPERF3_QUIET_NS, test->session.agent->cfg.clock->hz);

    if (!nd__iperf3_receives(test) || now >= test->limit) {
        return true;
    }
    nd__iperf3_wake_by(test, from + quiet);
    return now - from >= quiet;
}

/* What the other end says it sent beyond what came is lost too. */
static void count_tail(struct nd_iperf3_stream *stream) {
    uint64_t sent = (uint64_t)stream->theirs.packets;

    if (stream->theirs.packets > 0 && sent >= stream->meter.next &&
        sent - stream->meter.next < UINT32_MAX) {
        nd_sequence_end(&stream->meter, sent);
    }
}

void nd__iperf3_count_tails(struct nd_iperf3_test *test) {
    for (uint32_t i = 0; test->params.udp && i < test->stream_used; i++) {
        if (!test->memory.streams[i].sends) {
            count_tail(&test->memory.streams[i]);
        }
    }
}

uint64_t nd__iperf3_duration_us(const struct nd_iperf3_test *test) {
    if (test->moved <= test->begin) {
        return 0;
    }
    return nd_agent_ns(test->session.agent, test->moved - test->begin) / 1000u;
}

void nd__iperf3_result(const struct nd_iperf3_test *test, const struct nd_iperf3_stream *stream,
                       struct nd_iperf3_result *result) {
    struct nd_sequence total;

    *result = (struct nd_iperf3_result){
        .bytes = (int64_t)(stream->bytes - stream->omitted_bytes),
        .packets = (int64_t)stream->packets,
        .omitted_packets = (int64_t)stream->omitted_packets,
        .omitted_errors = (int64_t)stream->omitted_errors,
        .id = stream->id,
    };
    if (test->params.udp && !stream->sends) {
        nd_sequence_total(&stream->meter, &total);
        result->packets = (int64_t)total.expected;
        result->errors = (int64_t)total.lost;
        result->jitter_ns = total.jitter_ns > 0 ? (uint64_t)total.jitter_ns : 0;
    }
}

/* A count of the other end's, without what was omitted; nonsense counts as nothing. */
static uint64_t counted(int64_t all, int64_t omitted) {
    return all > omitted && omitted >= 0 ? (uint64_t)(all - omitted) : 0;
}

/* What the other end received of ours. True when it said so of every stream. */
static bool sum_theirs(const struct nd_iperf3_test *test, struct nd_sequence *sum) {
    bool all = test->params.udp && test->stream_used > 0;

    *sum = (struct nd_sequence){.sent_ns = ND_NOT_SUPPORTED, .jitter_ns = 0};
    for (uint32_t i = 0; i < test->stream_used; i++) {
        const struct nd_iperf3_stream *stream = &test->memory.streams[i];
        const struct nd_iperf3_result *theirs = &stream->theirs;
        if (!stream->sends) {
            continue;
        }
        /* Older releases do not say what they omitted: what we did then. */
        int64_t omitted = theirs->omitted_packets > 0 ? theirs->omitted_packets
                                                      : (int64_t)stream->omitted_packets;
        uint64_t expected = counted(theirs->packets, omitted);
        uint64_t lost = counted(theirs->errors, theirs->omitted_errors);
        lost = lost < expected ? lost : expected;
        int64_t jitter_ns = theirs->jitter_ns < INT64_MAX ? (int64_t)theirs->jitter_ns : INT64_MAX;
        sum->expected += expected;
        sum->lost += lost;
        sum->datagrams += expected - lost;
        sum->bytes += counted(theirs->bytes, 0);
        sum->jitter_ns = jitter_ns > sum->jitter_ns ? jitter_ns : sum->jitter_ns;
        all = all && theirs->id != 0;
    }
    return all && nd__iperf3_sends(test);
}

static void settle(struct nd_iperf3_test *test) {
    struct nd_sequence figures;

    if (test->omitting) {
        end_omission(test);
    }
    if (test->interval > 0 && (test->flow.rx.bytes != test->before.rx.bytes ||
                               test->flow.tx.bytes != test->before.tx.bytes)) {
        uint64_t now = test->session.agent->now;
        report_interval(test, test->moved > test->interval_from ? test->moved : now);
    }
    if (receives_datagrams(test)) {
        cut(test, &figures);
        add_after(&test->figures, &figures);
    }
}

void nd__iperf3_finish(struct nd_iperf3_test *test, int result) {
    struct nd_sequence theirs;

    settle(test);
    struct nd_report report = start_report(test);
    report.last = true;
    report.result = result;
    if (result == ND_OK && test->moved > test->begin) {
        report.end = test->moved; /* the wait for more does not count */
    }
    report.expected_bytes = test->goal_bytes < UINT64_MAX ? test->goal_bytes : 0;
    report.tx_datagrams = test->tx_datagrams;
    report.tx_failures = test->tx_failures;
    report.message = test->message;
    if (result == ND_E_SHORT && test->message == NULL) {
        report.message = "the other end hung up before the test was over";
    }
    report.datagrams = receives_datagrams(test) ? &test->figures : NULL;
    report.peer_datagrams = sum_theirs(test, &theirs) ? &theirs : NULL;
    nd_session_report(&test->session, &report);
    nd__iperf3_close_streams(test);
    nd_session_leave(&test->session);
    test->phase = ND__IPERF3_IDLE;
}

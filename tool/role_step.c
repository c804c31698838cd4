/* SPDX-License-Identifier: BSD-3-Clause */
#include "role_step.h"

#include <stdio.h>
#include <string.h>

#include "measure.h"
#include "nd/fmt.h"

/* Which directions a report is about. */
struct directions {
    bool rx;
    bool tx;
};

static struct directions directions_of(const struct nd_report *report) {
    const char *phase = report->phase != NULL ? report->phase : "";
    bool rx = strcmp(phase, "rx") == 0;
    bool tx = strcmp(phase, "tx") == 0;

    return (struct directions){.rx = rx || !tx, .tx = tx || !rx};
}

static uint64_t ns_between(const struct role *role, uint64_t begin, uint64_t end) {
    return end > begin ? nd_agent_ns(&role->agent, end - begin) : 0;
}

/* One direction. `prefix` tells them apart where there are two. */
static void add_direction(const struct role *role, json_t *step, const char *prefix, bool rx,
                          const struct nd_span_bytes *moved) {
    struct measure_span span = measure_span_of(&role->agent, moved);
    char key[32];

    result_value(step, rx ? "rx_bytes" : "tx_bytes", (int64_t)span.bytes);
    snprintf(key, sizeof key, "%selapsed_ns", prefix);
    result_value(step, key, (int64_t)(span.last_ns - span.first_ns));
    snprintf(key, sizeof key, "%sgoodput_bit_s", prefix);
    result_value(step, key, measure_goodput_bit_s(&span));
}

static void add_directions(const struct role *role, json_t *step, const struct nd_report *report) {
    struct directions has = directions_of(report);
    bool both = has.rx && has.tx;

    if (has.tx) {
        add_direction(role, step, both ? "tx_" : "", false, &report->flow.tx);
    }
    if (has.rx) {
        add_direction(role, step, both ? "rx_" : "", true, &report->flow.rx);
    }
}

static void add_count(json_t *step, const char *key, uint64_t count) {
    if (count > 0) {
        result_value(step, key, (int64_t)count);
    }
}

json_t *role_datagrams(const struct nd_sequence *figures) {
    json_t *object = json_object();

    result_value(object, "received", (int64_t)figures->datagrams);
    result_value(object, "bytes", (int64_t)figures->bytes);
    result_value(object, "expected", (int64_t)figures->expected);
    result_value(object, "lost", (int64_t)figures->lost);
    result_ratio(object, "lost_pct", figures->lost * 100, figures->expected);
    result_value(object, "recovered", (int64_t)figures->recovered);
    result_value(object, "duplicates", (int64_t)figures->duplicates);
    result_value(object, "reordered", (int64_t)figures->reordered);
    result_value(object, "late", (int64_t)figures->late);
    result_value(object, "extra_bytes", (int64_t)figures->extra_bytes);
    result_value(object, "jitter_ns", figures->jitter_ns);
    result_value(object, "offered_bit_s", nd_sequence_offered_bit_s(figures));
    return object;
}

/* The other end counts and tells no more than this. */
static json_t *peer_datagrams(const struct nd_sequence *figures) {
    json_t *object = json_object();

    result_value(object, "received", (int64_t)figures->datagrams);
    result_value(object, "bytes", (int64_t)figures->bytes);
    result_value(object, "expected", (int64_t)figures->expected);
    result_value(object, "lost", (int64_t)figures->lost);
    result_ratio(object, "lost_pct", figures->lost * 100, figures->expected);
    result_value(object, "reordered", (int64_t)figures->reordered);
    result_value(object, "jitter_ns", figures->jitter_ns);
    return object;
}

static void add_datagrams(const struct role *role, json_t *step, const struct nd_report *report) {
    if (report->datagrams != NULL) {
        json_object_set_new(step, "datagrams", role_datagrams(report->datagrams));
        result_ratio(step, "rx_datagrams_s", report->datagrams->datagrams * 1000000000u,
                     ns_between(role, report->begin, report->end));
    }
    if (report->peer_datagrams != NULL) {
        json_object_set_new(step, "peer_datagrams", peer_datagrams(report->peer_datagrams));
    }
    add_count(step, "peer_elapsed_ns", report->peer_ns);
    add_count(step, "tx_datagrams", report->tx_datagrams);
    add_count(step, "rx_datagrams", report->rx_datagrams);
    add_count(step, "tx_failures", report->tx_failures);
}

static void add_identity(json_t *step, const struct nd_report *report) {
    char text[ND_ADDR_TEXT_BYTES];

    snprintf(text, sizeof text, "%s%s%s", report->engine, report->phase != NULL ? "-" : "",
             report->phase != NULL ? report->phase : "");
    result_text(step, "step", text);
    result_text(step, "role", report->role);
    add_count(step, "stream", report->stream);
    result_text(step, "status", report->result == ND_OK ? "ok" : "failed");
    if (report->result != ND_OK) {
        result_text(step, "reason", nd_error_name(report->result));
    }
    if (report->message != NULL) {
        result_text(step, "message", report->message);
    }
    if (report->peer.port != 0) {
        nd_addr_format(&report->peer, text);
        result_text(step, "peer", text);
    }
}

json_t *role_step(const struct role *role, const struct nd_report *report) {
    json_t *step = json_object();

    add_identity(step, report);
    add_count(step, "expected_bytes", report->expected_bytes);
    add_count(step, "buflen_bytes", report->buflen);
    result_value(step, "test_ns", (int64_t)ns_between(role, report->begin, report->end));
    add_directions(role, step, report);
    if (directions_of(report).tx) {
        result_value(step, "tail_ns",
                     report->tail_ticks < 0
                         ? report->tail_ticks
                         : (int64_t)nd_agent_ns(&role->agent, (uint64_t)report->tail_ticks));
    }
    add_datagrams(role, step, report);
    if (report->latency != NULL) {
        measure_add_latency(step, report->latency);
    }
    add_count(step, "round_trips", report->round_trips);
    return step;
}

json_t *role_interval(const struct role *role, const struct nd_report *report, uint64_t begin) {
    struct directions has = directions_of(report);
    json_t *interval = json_object();
    uint64_t ns = ns_between(role, report->begin, report->end);

    result_value(interval, "begin_ns", (int64_t)ns_between(role, begin, report->begin));
    result_value(interval, "end_ns", (int64_t)ns_between(role, begin, report->end));
    if (has.tx) {
        result_value(interval, "tx_bytes", (int64_t)report->flow.tx.bytes);
        result_value(interval, "tx_bit_s",
                     ns > 0 ? (int64_t)nd_fmt_muldiv(report->flow.tx.bytes, 8000000000u, ns)
                            : ND_NO_SAMPLES);
    }
    if (has.rx) {
        result_value(interval, "rx_bytes", (int64_t)report->flow.rx.bytes);
        result_value(interval, "rx_bit_s",
                     ns > 0 ? (int64_t)nd_fmt_muldiv(report->flow.rx.bytes, 8000000000u, ns)
                            : ND_NO_SAMPLES);
    }
    add_datagrams(role, interval, report);
    return interval;
}

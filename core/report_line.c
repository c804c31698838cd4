/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_line.h"

#include "text.h"

static uint64_t total_bytes(const struct nd_report *report) {
    return report->flow.rx.bytes + report->flow.tx.bytes;
}

static void heap_text(struct nd_fmt *out, const struct nd_heap_meter *heap) {
    nd_fmt_text(out, ", heap free now/max/min/avg ");
    nd_fmt_u64(out, heap->now);
    nd_fmt_char(out, '/');
    nd_fmt_u64(out, heap->max);
    nd_fmt_char(out, '/');
    nd_fmt_u64(out, heap->min);
    nd_fmt_char(out, '/');
    nd_fmt_i64(out, nd_heap_meter_average(heap));
}

/* ---- text -------------------------------------------------------------------------- */

/* "17.19 Mbps" */
static void rate_text(struct nd_fmt *out, uint64_t bit_s) {
    nd_fmt_fixed(out, nd_fmt_muldiv(bit_s, 1, 10000u), 2);
    nd_fmt_text(out, " Mbps");
}

/* "12/851 (1.4%)" */
static void loss_text(struct nd_fmt *out, const struct nd_sequence *figures) {
    nd_fmt_u64(out, figures->lost);
    nd_fmt_char(out, '/');
    nd_fmt_u64(out, figures->expected);
    if (figures->expected > 0) {
        nd_fmt_text(out, " (");
        nd_fmt_fixed(out, nd_fmt_muldiv(figures->lost, 1000u, figures->expected), 1);
        nd_fmt_text(out, "%)");
    }
}

static void count_text(struct nd_fmt *out, const char *name, uint64_t count) {
    if (count > 0) {
        nd_fmt_text(out, ", ");
        nd_fmt_text(out, name);
        nd_fmt_char(out, ' ');
        nd_fmt_u64(out, count);
    }
}

static void datagrams_text(struct nd_fmt *out, const char *who, const struct nd_sequence *figures) {
    nd_fmt_text(out, who);
    nd_fmt_text(out, "lost ");
    loss_text(out, figures);
    count_text(out, "duplicates", figures->duplicates);
    count_text(out, "reordered", figures->reordered);
    count_text(out, "late", figures->late);
    if (figures->jitter_ns >= 0) {
        nd_fmt_text(out, ", jitter ");
        nd_fmt_fixed(out, (uint64_t)figures->jitter_ns / 1000u, 3);
        nd_fmt_text(out, " ms");
    }
    int64_t offered = nd_sequence_offered_bit_s(figures);
    if (offered >= 0) {
        nd_fmt_text(out, ", offered ");
        rate_text(out, (uint64_t)offered);
    }
}

/* One direction of an interval: "Received: 2149140 bytes | Throughput: 17.19 Mbps". */
static void direction_text(struct nd_fmt *out, const char *verb, uint64_t bytes, uint64_t ns) {
    nd_fmt_text(out, verb);
    nd_fmt_u64(out, bytes);
    nd_fmt_text(out, " bytes | Throughput: ");
    rate_text(out, nd_fmt_muldiv(bytes, 8000000000u, ns));
}

static void per_second_text(struct nd_fmt *out, const char *what, uint64_t count, uint64_t ns) {
    if (ns > 0) {
        nd_fmt_text(out, what);
        nd_fmt_u64(out, nd_fmt_muldiv(count, 1000000000u, ns));
        nd_fmt_text(out, "/s");
    }
}

/* The line of the W55RP20's receive server, and behind it what it lacks: what was offered. */
static void interval_text(struct nd_fmt *out, const struct nd_agent *agent,
                          const struct nd_report *report) {
    const struct nd_sequence *datagrams = report->datagrams;
    uint64_t ns = nd_agent_ns(agent, report->end - report->begin);

    nd_fmt_text(out, "Interval: ");
    nd_fmt_fixed(out, nd_fmt_muldiv(ns, 1, 10000000u), 2);
    nd_fmt_text(out, " sec");
    if (ns == 0) {
        return;
    }
    if (report->flow.rx.bytes > 0 || report->flow.tx.bytes == 0) {
        direction_text(out, " | Received: ", report->flow.rx.bytes, ns);
    }
    if (report->flow.tx.bytes > 0) {
        direction_text(out, " | Sent: ", report->flow.tx.bytes, ns);
    }
    if (report->tx_datagrams > 0) {
        per_second_text(out, " | Datagrams: ", report->tx_datagrams, ns);
    }
    if (datagrams != NULL) {
        per_second_text(out, " | Datagrams: ", datagrams->datagrams, ns);
        datagrams_text(out, " | ", datagrams);
    }
}

/* The rate is that of the printed bytes in the printed time, so that a reader's division agrees:
 * whole milliseconds from a second on, as the Wi-Fi module prints, three decimals below. */
static void time_and_rate_text(struct nd_fmt *out, uint64_t bytes, uint64_t ns) {
    unsigned decimals = ns < 1000000000u ? 3 : 0;
    uint64_t unit_ns = decimals == 3 ? 1000u : 1000000u;
    uint64_t units = (ns + unit_ns / 2) / unit_ns;

    nd_fmt_fixed(out, units, decimals);
    nd_fmt_text(out, " ms");
    if (units > 0 && bytes > 0) {
        /* 10^4 x KB/s = bytes x 10^10 / ns. */
        nd_fmt_text(out, ", ");
        nd_fmt_fixed(out, nd_fmt_muldiv(bytes, 10000000000u, units * unit_ns), 4);
        nd_fmt_text(out, " KB/s");
    }
}

static void amount_text(struct nd_fmt *out, const struct nd_agent *agent,
                        const struct nd_report *report) {
    uint64_t bytes = total_bytes(report);
    uint64_t ns = nd_agent_ns(agent, report->end - report->begin);

    nd_fmt_u64(out, bytes);
    if (report->result != ND_OK && report->expected_bytes > 0) {
        nd_fmt_text(out, " of ");
        nd_fmt_u64(out, report->expected_bytes);
    }
    nd_fmt_text(out, " bytes processed in ");
    time_and_rate_text(out, bytes, ns);
}

static void latency_text(struct nd_fmt *out, const struct nd_hist *latency) {
    static const unsigned permille[] = {500, 900, 990, 1000};

    nd_fmt_text(out, ", p50/p90/p99/max ");
    for (unsigned i = 0; i < 4; i++) {
        nd_fmt_fixed(out, nd_hist_percentile(latency, permille[i]), 3);
        nd_fmt_text(out, i < 3 ? "/" : " us");
    }
}

void nd__report_text(struct nd_fmt *out, const struct nd_agent *agent,
                     const struct nd_report *report) {
    if (report->interval) {
        interval_text(out, agent, report);
        return;
    }
    nd_fmt_text(out, report->engine);
    /* ttcp's line is the Wi-Fi module's, which has no direction. */
    if (report->phase != NULL && !nd__text_equal(report->engine, "ttcp")) {
        nd_fmt_char(out, ' ');
        nd_fmt_text(out, report->phase);
    }
    nd_fmt_char(out, ' ');
    nd_fmt_text(out, nd_error_name(report->result));
    nd_fmt_text(out, ": ");
    if (report->message != NULL) {
        nd_fmt_text(out, report->message);
        if (total_bytes(report) == 0) {
            return;
        }
        nd_fmt_text(out, "; ");
    }
    amount_text(out, agent, report);
    if (report->heap != NULL) {
        heap_text(out, report->heap);
    }
    if (report->latency != NULL && report->latency->count > 0) {
        latency_text(out, report->latency);
    }
    if (report->datagrams != NULL) {
        datagrams_text(out, ", ", report->datagrams);
    }
    if (report->peer_datagrams != NULL) {
        datagrams_text(out, ", peer: ", report->peer_datagrams);
    }
    count_text(out, "sends refused", report->tx_failures);
    count_text(out, "datagrams received", report->rx_datagrams);
    count_text(out, "round trips", report->round_trips);
    if (report->round_trips > 0) {
        per_second_text(out, ", ", report->round_trips,
                        nd_agent_ns(agent, report->end - report->begin));
    }
    count_text(out, "chunks", report->chunks);
    count_text(out, "chunks missed", report->chunks_missed);
}

/* ---- JSON -------------------------------------------------------------------------- */

static void span_json(struct nd_fmt *out, const struct nd_agent *agent, const char *key,
                      const struct nd_span_bytes *span) {
    nd_json_open_key(out, key);
    nd_json_u64(out, "bytes", span->bytes);
    if (span->bytes > 0) {
        nd_json_u64(out, "first_bytes", span->first_bytes);
        nd_json_u64(out, "first_ns", nd_agent_ns(agent, span->first));
        nd_json_u64(out, "last_ns", nd_agent_ns(agent, span->last));
        nd_json_u64(out, "elapsed_ticks", nd_span_elapsed(span));
        nd_json_value(out, "busy_ticks",
                      agent->cfg.idle_ticks != NULL ? (int64_t)nd_span_busy(span)
                                                    : (int64_t)ND_NOT_SUPPORTED);
    }
    nd_json_close(out);
}

static void heap_json(struct nd_fmt *out, const struct nd_heap_meter *heap) {
    nd_json_open_key(out, "heap_free");
    nd_json_u64(out, "samples", heap->samples);
    nd_json_u64(out, "now_bytes", heap->now);
    nd_json_u64(out, "min_bytes", heap->min);
    nd_json_u64(out, "max_bytes", heap->max);
    nd_json_value(out, "average_bytes", nd_heap_meter_average(heap));
    nd_json_close(out);
}

static void datagrams_json(struct nd_fmt *out, const char *key, const struct nd_sequence *figures) {
    nd_json_open_key(out, key);
    nd_json_u64(out, "received", figures->datagrams);
    nd_json_u64(out, "bytes", figures->bytes);
    nd_json_u64(out, "expected", figures->expected);
    nd_json_u64(out, "lost", figures->lost);
    nd_json_u64(out, "recovered", figures->recovered);
    nd_json_u64(out, "duplicates", figures->duplicates);
    nd_json_u64(out, "reordered", figures->reordered);
    nd_json_u64(out, "late", figures->late);
    nd_json_u64(out, "extra_bytes", figures->extra_bytes);
    nd_json_u64(out, "reorder_extent", figures->extent);
    nd_json_value(out, "jitter_ns", figures->jitter_ns);
    nd_json_value(out, "offered_bit_s", nd_sequence_offered_bit_s(figures));
    nd_json_close(out);
}

static void latency_json(struct nd_fmt *out, const struct nd_hist *latency) {
    nd_json_open_key(out, "latency");
    nd_json_u64(out, "count", latency->count);
    if (latency->count > 0) {
        nd_json_u64(out, "min_ns", latency->min);
        nd_json_u64(out, "p50_ns", nd_hist_percentile(latency, 500));
        nd_json_u64(out, "p90_ns", nd_hist_percentile(latency, 900));
        nd_json_u64(out, "p99_ns", nd_hist_percentile(latency, 990));
        nd_json_u64(out, "max_ns", latency->max);
        nd_json_u64(out, "mean_ns", latency->sum / latency->count);
    }
    nd_json_close(out);
}

/* What only tests of datagrams and round trips have. */
static void extras_json(struct nd_fmt *out, const struct nd_report *report) {
    if (report->latency != NULL) {
        latency_json(out, report->latency);
    }
    if (report->datagrams != NULL) {
        datagrams_json(out, "datagrams", report->datagrams);
    }
    if (report->peer_datagrams != NULL) {
        datagrams_json(out, "peer_datagrams", report->peer_datagrams);
    }
    if (report->peer_ns > 0) {
        nd_json_u64(out, "peer_ns", report->peer_ns);
    }
    if (report->tx_datagrams > 0) {
        nd_json_u64(out, "tx_datagrams", report->tx_datagrams);
    }
    if (report->rx_datagrams > 0) {
        nd_json_u64(out, "rx_datagrams", report->rx_datagrams);
    }
    if (report->round_trips > 0) {
        nd_json_u64(out, "round_trips", report->round_trips);
    }
    if (report->chunks > 0) {
        nd_json_u64(out, "chunks", report->chunks);
        nd_json_u64(out, "chunks_missed", report->chunks_missed);
    }
    if (report->tx_failures > 0) {
        nd_json_u64(out, "tx_failures", report->tx_failures);
    }
    if (report->message != NULL) {
        nd_json_text(out, "message", report->message);
    }
}

void nd__report_json(struct nd_fmt *out, const struct nd_agent *agent,
                     const struct nd_report *report) {
    char peer[ND_ADDR_TEXT_BYTES];

    nd_json_u64(out, "session", report->session);
    nd_json_text(out, "engine", report->engine);
    nd_json_text(out, "role", report->role);
    if (report->phase != NULL) {
        nd_json_text(out, "phase", report->phase);
    }
    if (report->stream > 0) {
        nd_json_u64(out, "stream", report->stream);
    }
    nd_json_bool(out, "last", report->last);
    if (report->interval) {
        nd_json_bool(out, "interval", true);
    }
    nd_json_text(out, "result", nd_error_name(report->result));
    if (report->cause != 0) {
        nd_json_i64(out, "cause", report->cause);
    }
    nd_addr_format(&report->peer, peer);
    nd_json_text(out, "peer", peer);
    if (report->expected_bytes > 0) {
        nd_json_u64(out, "expected_bytes", report->expected_bytes);
    }
    nd_json_u64(out, "begin_ns", nd_agent_ns(agent, report->begin));
    nd_json_u64(out, "end_ns", nd_agent_ns(agent, report->end));
    span_json(out, agent, "rx", &report->flow.rx);
    span_json(out, agent, "tx", &report->flow.tx);
    if (nd_absent_name(report->tail_ticks) != NULL) {
        nd_json_value(out, "tail_ns", report->tail_ticks);
    } else {
        nd_json_u64(out, "tail_ns", nd_agent_ns(agent, (uint64_t)report->tail_ticks));
    }
    if (report->buflen > 0) {
        nd_json_u64(out, "buflen_bytes", report->buflen);
    }
    if (report->heap != NULL) {
        heap_json(out, report->heap);
    }
    extras_json(out, report);
}

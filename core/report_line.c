/* SPDX-License-Identifier: BSD-3-Clause */
#include "report_line.h"

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

void nd__report_text(struct nd_fmt *out, const struct nd_agent *agent,
                     const struct nd_report *report) {
    uint64_t bytes = total_bytes(report);
    uint64_t ns = nd_agent_ns(agent, report->end - report->begin);

    nd_fmt_text(out, report->engine);
    if (report->phase != NULL) {
        nd_fmt_char(out, ' ');
        nd_fmt_text(out, report->phase);
    }
    nd_fmt_char(out, ' ');
    nd_fmt_text(out, nd_error_name(report->result));
    nd_fmt_text(out, ": ");
    nd_fmt_u64(out, bytes);
    if (report->result != ND_OK && report->expected_bytes > 0) {
        nd_fmt_text(out, " of ");
        nd_fmt_u64(out, report->expected_bytes);
    }
    nd_fmt_text(out, " bytes processed in ");
    nd_fmt_u64(out, ns / 1000000u);
    nd_fmt_text(out, " ms");
    if (ns > 0 && bytes > 0) {
        /* 10^4 x KB/s = bytes x 10^10 / ns. */
        nd_fmt_text(out, ", ");
        nd_fmt_fixed(out, nd_fmt_muldiv(bytes, 10000000000u, ns), 4);
        nd_fmt_text(out, " KB/s");
    }
    if (report->heap != NULL) {
        heap_text(out, report->heap);
    }
}

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

void nd__report_json(struct nd_fmt *out, const struct nd_agent *agent,
                     const struct nd_report *report) {
    char peer[ND_ADDR_TEXT_BYTES];

    nd_json_u64(out, "session", report->session);
    nd_json_text(out, "engine", report->engine);
    nd_json_text(out, "role", report->role);
    if (report->phase != NULL) {
        nd_json_text(out, "phase", report->phase);
    }
    nd_json_bool(out, "last", report->last);
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
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "iperf3_json.h"

#include <string.h>
#include <time.h>

#include "role_step.h"
#include "version.h"

static void put_int(json_t *object, const char *key, uint64_t value) {
    json_object_set_new(object, key, json_integer((json_int_t)value));
}

static void put_real(json_t *object, const char *key, double value) {
    json_object_set_new(object, key, json_real(value));
}

static void put_bool(json_t *object, const char *key, bool value) {
    json_object_set_new(object, key, json_boolean(value));
}

/* ---- beginning --------------------------------------------------------------------------- */

void iperf3_json_begin(struct iperf3_json *json, const char *host, uint16_t port) {
    json_t *start = json_object();
    json_t *now = json_object();

    json->root = json_object();
    json->intervals = json_array();
    put_int(now, "timesecs", (uint64_t)time(NULL));
    result_text(start, "version", "netdyno");
    result_text(start, "netdyno_version", nd_version);
    json_object_set_new(start, "timestamp", now);
    if (host != NULL) {
        json_t *to = json_object();
        result_text(to, "host", host);
        put_int(to, "port", port);
        json_object_set_new(start, "connecting_to", to);
    }
    json_object_set_new(json->root, "start", start);
    json_object_set_new(json->root, "intervals", json->intervals);
    json_object_set_new(json->root, "end", json_object());
}

static void put_params(json_t *start, const struct nd_iperf3_test *test) {
    const struct nd_iperf3_params *params = &test->params;
    json_t *object = json_object();

    result_text(object, "protocol", params->udp ? "UDP" : "TCP");
    put_int(object, "num_streams", params->parallel);
    put_int(object, "blksize", params->length);
    put_int(object, "omit", params->omit_s);
    put_int(object, "duration", params->time_s);
    put_int(object, "bytes", params->bytes);
    put_int(object, "blocks", params->blocks);
    put_int(object, "reverse", params->reverse);
    put_int(object, "bidir", params->bidir);
    put_int(object, "target_bitrate", params->rate_bit_s);
    json_object_set_new(start, "test_start", object);
}

/* ---- rows ---------------------------------------------------------------------------- */

/* The times of a report, from the beginning of its test [s]. */
struct times {
    double from_s;
    double to_s;
};

static struct times times_of(const struct iperf3_json *json, const struct nd_report *report) {
    uint64_t begin = json->test->begin;
    uint64_t from = report->begin > begin ? report->begin - begin : 0;
    uint64_t to = report->end > begin ? report->end - begin : 0;

    return (struct times){.from_s = (double)nd_agent_ns(json->agent, from) / 1e9,
                          .to_s = (double)nd_agent_ns(json->agent, to) / 1e9};
}

/* iperf3's keys. A rate without a time, or a jitter without time stamps, is not there. */
static json_t *row_json(const struct iperf3_count *count, struct times times, bool udp,
                        bool sender) {
    json_t *object = json_object();
    const struct nd_sequence *figures = &count->figures;

    put_real(object, "start", times.from_s);
    put_real(object, "end", times.to_s);
    put_real(object, "seconds", times.to_s - times.from_s);
    put_int(object, "bytes", count->bytes);
    if (times.to_s > times.from_s) {
        put_real(object, "bits_per_second", (double)count->bytes * 8 / (times.to_s - times.from_s));
    }
    if (udp && sender) {
        put_int(object, "packets", count->datagrams);
    } else if (udp) {
        if (figures->jitter_ns >= 0) {
            put_real(object, "jitter_ms", (double)figures->jitter_ns / 1e6);
        }
        put_int(object, "lost_packets", figures->lost);
        put_int(object, "packets", figures->expected);
        put_real(object, "lost_percent",
                 figures->expected > 0 ? (double)figures->lost * 100 / (double)figures->expected
                                       : 0.0);
        put_int(object, "out_of_order", figures->reordered);
        put_int(object, "duplicates", figures->duplicates);
    }
    return object;
}

static void put_sum(const struct iperf3_json *json, json_t *object, const char *key,
                    const struct iperf3_rows *rows, struct times times, bool tx, bool sender) {
    struct iperf3_count sum;

    if (iperf3_rows_sum(rows, tx, sender, &sum)) {
        json_t *row = row_json(&sum, times, json->test->params.udp, sender);
        put_bool(row, "sender", tx);
        json_object_set_new(object, key, row);
    }
}

/* What the client sends is the first direction of a test that has both. */
static bool is_first(const struct nd_iperf3_test *test, bool tx) {
    return !test->params.bidir || tx != test->server;
}

static void report_interval(struct iperf3_json *json, const struct iperf3_rows *rows,
                            const struct nd_report *report) {
    const struct nd_iperf3_test *test = json->test;
    struct times times = times_of(json, report);
    json_t *interval = json_object();
    json_t *streams = json_array();

    for (uint32_t i = 0; i < rows->count; i++) {
        const struct iperf3_row *row = &rows->rows[i];
        if (row->id == 0) {
            continue;
        }
        json_t *object = row_json(&row->count, times, test->params.udp, row->sender);
        put_int(object, "socket", row->id);
        put_bool(object, "omitted", false);
        put_bool(object, "sender", row->tx);
        json_array_append_new(streams, object);
    }
    json_object_set_new(interval, "streams", streams);
    for (int tx = 0; tx < 2; tx++) {
        const char *key = is_first(test, tx) ? "sum" : "sum_bidir_reverse";
        put_sum(json, interval, key, rows, times, tx, tx);
        put_bool(json_object_get(interval, key), "omitted", false); /* of none: nothing */
    }
    json_array_append_new(json->intervals, interval);
}

/* ---- the end --------------------------------------------------------------------------- */

/* Both ends' rows of one stream, under iperf3's keys. */
static json_t *stream_json(const struct iperf3_json *json, const struct iperf3_rows *rows,
                           uint32_t id, struct times times) {
    bool udp = json->test->params.udp;
    json_t *stream = json_object();

    for (uint32_t i = 0; i < rows->count; i++) {
        const struct iperf3_row *row = &rows->rows[i];
        if (row->id != id) {
            continue;
        }
        json_t *object = row_json(&row->count, times, udp, row->sender);
        put_int(object, "socket", id);
        put_bool(object, "sender", row->tx);
        if (!udp) {
            json_object_set_new(stream, row->sender ? "sender" : "receiver", object);
        } else if (!row->sender || json_object_get(stream, "udp") == NULL) {
            json_object_set_new(stream, "udp", object); /* the receiver's, where it is known */
        } else {
            json_decref(object);
        }
    }
    return stream;
}

static void put_sums(const struct iperf3_json *json, json_t *end, const struct iperf3_rows *rows,
                     struct times times) {
    const struct nd_iperf3_test *test = json->test;

    for (int tx = 0; tx < 2; tx++) {
        bool first = is_first(test, tx);
        put_sum(json, end, first ? "sum_sent" : "sum_sent_bidir_reverse", rows, times, tx, true);
        put_sum(json, end, first ? "sum_received" : "sum_received_bidir_reverse", rows, times, tx,
                false);
        if (test->params.udp) {
            put_sum(json, end, first ? "sum" : "sum_bidir_reverse", rows, times, tx, false);
        }
    }
}

static void report_end(struct iperf3_json *json, const struct iperf3_rows *rows,
                       const struct nd_report *report) {
    struct times times = times_of(json, report);
    json_t *end = json_object();
    json_t *streams = json_array();

    for (uint32_t i = 0; i < json->test->stream_used; i++) {
        json_array_append_new(streams,
                              stream_json(json, rows, json->test->memory.streams[i].id, times));
    }
    json_object_set_new(end, "streams", streams);
    put_sums(json, end, rows, times);
    json_object_set_new(json->root, "end", end);
    put_params(json_object_get(json->root, "start"), json->test);
}

void iperf3_json_report(struct iperf3_json *json, const struct iperf3_rows *rows,
                        const struct nd_report *report) {
    if (json->root == NULL) {
        return;
    }
    if (report->interval) {
        report_interval(json, rows, report);
    } else if (json->test->started) {
        report_end(json, rows, report);
    }
}

void iperf3_json_text(struct iperf3_json *json, const char *key, const char *text) {
    if (json->root != NULL && json_object_get(json->root, key) == NULL) {
        result_text(json->root, key, text);
    }
}

int iperf3_json_end(struct iperf3_json *json) {
    int result = json->root != NULL ? result_write(json->root, "-") : 0;

    json_decref(json->root);
    json->root = NULL;
    return result;
}

/* ---- the document ---------------------------------------------------------------------- */

json_t *iperf3_json_streams(const struct iperf3_rows *rows) {
    json_t *list = json_array();

    for (uint32_t i = 0; i < rows->count; i++) {
        const struct iperf3_row *row = &rows->rows[i];
        json_t *object;
        if (row->id == 0) {
            continue;
        }
        object = json_object();
        result_value(object, "stream", row->id);
        result_text(object, "direction", row->tx ? "tx" : "rx");
        result_text(object, "counted_by", row->sender ? "sender" : "receiver");
        result_value(object, "bytes", (int64_t)row->count.bytes);
        if (rows->test->params.udp && row->sender) {
            result_value(object, "tx_datagrams", (int64_t)row->count.datagrams);
        } else if (rows->test->params.udp) {
            json_object_set_new(object, "datagrams", role_datagrams(&row->count.figures));
        }
        json_array_append_new(list, object);
    }
    return list;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "iperf3_rows.h"

/* ---- counts ------------------------------------------------------------------------------ */

static const struct nd_sequence no_figures = {.sent_ns = ND_NO_SAMPLES, .jitter_ns = ND_NO_SAMPLES};

static void add(struct iperf3_count *sum, const struct iperf3_count *one) {
    sum->bytes += one->bytes;
    sum->datagrams += one->datagrams;
    sum->figures.datagrams += one->figures.datagrams;
    sum->figures.bytes += one->figures.bytes;
    sum->figures.expected += one->figures.expected;
    sum->figures.lost += one->figures.lost;
    sum->figures.duplicates += one->figures.duplicates;
    sum->figures.reordered += one->figures.reordered;
    sum->figures.late += one->figures.late;
    if (one->figures.jitter_ns > sum->figures.jitter_ns) {
        sum->figures.jitter_ns = one->figures.jitter_ns;
    }
}

/* What came since. A datagram that an interval missed may come in the next: then fewer are lost. */
static struct iperf3_count since(const struct iperf3_count *now, const struct iperf3_count *then) {
    struct iperf3_count count = *now;

    count.bytes -= then->bytes;
    count.datagrams -= then->datagrams;
    count.figures.datagrams -= then->figures.datagrams;
    count.figures.bytes -= then->figures.bytes;
    count.figures.expected -= then->figures.expected;
    count.figures.duplicates -= then->figures.duplicates;
    count.figures.reordered -= then->figures.reordered;
    count.figures.late -= then->figures.late;
    if (now->figures.lost >= then->figures.lost) {
        count.figures.lost = now->figures.lost - then->figures.lost;
    } else {
        count.figures.recovered = then->figures.lost - now->figures.lost;
        count.figures.lost = 0;
    }
    if (then->bytes > 0) {
        count.figures.sent_ns = ND_NOT_SUPPORTED; /* the sender's time is that of the whole test */
    }
    return count;
}

/* All of a stream so far, omitted seconds included. */
static struct iperf3_count count_of(const struct nd_iperf3_test *test,
                                    const struct nd_iperf3_stream *stream) {
    struct iperf3_count count = {.bytes = stream->bytes, .figures = no_figures};

    if (test->params.udp && stream->sends) {
        count.datagrams = stream->packets;
    } else if (test->params.udp) {
        nd_sequence_total(&stream->meter, &count.figures);
    }
    return count;
}

/* What was omitted of it. */
static struct iperf3_count omitted_of(const struct nd_iperf3_stream *stream) {
    struct iperf3_count count = {.bytes = stream->omitted_bytes, .figures = no_figures};

    if (stream->sends) {
        count.datagrams = stream->omitted_packets;
    } else {
        count.figures.expected = stream->omitted_packets;
        count.figures.lost = stream->omitted_errors;
        count.figures.datagrams = stream->omitted_packets - stream->omitted_errors;
    }
    return count;
}

static uint64_t beyond(int64_t all, int64_t omitted) {
    return all > omitted && omitted >= 0 ? (uint64_t)(all - omitted) : 0;
}

/* What the other end says of it; false when it has said nothing. */
static bool theirs_of(const struct nd_iperf3_test *test, const struct nd_iperf3_stream *stream,
                      struct iperf3_count *count) {
    const struct nd_iperf3_result *theirs = &stream->theirs;
    /* Older releases do not say what they omitted: as much as we then. */
    int64_t omitted =
        theirs->omitted_packets > 0 ? theirs->omitted_packets : (int64_t)stream->omitted_packets;

    *count = (struct iperf3_count){.bytes = beyond(theirs->bytes, 0), .figures = no_figures};
    if (test->params.udp && !stream->sends) {
        count->datagrams = beyond(theirs->packets, omitted);
    } else if (test->params.udp) {
        uint64_t expected = beyond(theirs->packets, omitted);
        uint64_t lost = beyond(theirs->errors, theirs->omitted_errors);
        lost = lost < expected ? lost : expected;
        count->figures.bytes = count->bytes;
        count->figures.expected = expected;
        count->figures.lost = lost;
        count->figures.datagrams = expected - lost;
        count->figures.jitter_ns = (int64_t)theirs->jitter_ns;
    }
    return theirs->id != 0;
}

/* ---- rows ---------------------------------------------------------------------------- */

static void put(struct iperf3_rows *rows, uint32_t id, bool tx, bool sender,
                const struct iperf3_count *count) {
    rows->rows[rows->count++] =
        (struct iperf3_row){.id = id, .tx = tx, .sender = sender, .count = *count};
}

bool iperf3_rows_sum(const struct iperf3_rows *rows, bool tx, bool sender,
                     struct iperf3_count *sum) {
    uint32_t streams = 0;

    *sum = (struct iperf3_count){.figures = no_figures};
    for (uint32_t i = 0; i < rows->count; i++) {
        const struct iperf3_row *row = &rows->rows[i];
        if (row->id != 0 && row->tx == tx && row->sender == sender) {
            add(sum, &row->count);
            if (streams++ == 0) {
                sum->figures.sent_ns = row->count.figures.sent_ns;
                sum->figures.sent_gaps = row->count.figures.sent_gaps;
            } else {
                sum->figures.sent_ns = ND_NOT_SUPPORTED; /* each has its own time */
            }
        }
    }
    return streams > 0;
}

static void put_sum(struct iperf3_rows *rows, bool tx, bool sender) {
    struct iperf3_count sum;

    if (rows->test->params.parallel > 1 && iperf3_rows_sum(rows, tx, sender, &sum)) {
        put(rows, 0, tx, sender, &sum);
    }
}

static void begin(struct iperf3_rows *rows) {
    const struct nd_iperf3_test *test = rows->test;

    for (uint32_t i = 0; i < test->stream_used && !rows->begun; i++) {
        rows->before[i] = omitted_of(&test->memory.streams[i]);
    }
    rows->begun = true;
    rows->count = 0;
}

static void put_interval(struct iperf3_rows *rows, bool tx) {
    const struct nd_iperf3_test *test = rows->test;

    for (uint32_t i = 0; i < test->stream_used; i++) {
        const struct nd_iperf3_stream *stream = &test->memory.streams[i];
        if (stream->sends == tx) {
            struct iperf3_count now = count_of(test, stream);
            struct iperf3_count interval = since(&now, &rows->before[i]);
            rows->before[i] = now;
            put(rows, stream->id, tx, tx, &interval);
        }
    }
    put_sum(rows, tx, tx);
}

void iperf3_rows_interval(struct iperf3_rows *rows) {
    begin(rows);
    put_interval(rows, true);
    put_interval(rows, false);
}

static void put_total(struct iperf3_rows *rows, bool tx) {
    const struct nd_iperf3_test *test = rows->test;

    for (uint32_t i = 0; i < test->stream_used; i++) {
        const struct nd_iperf3_stream *stream = &test->memory.streams[i];
        struct iperf3_count now = count_of(test, stream);
        struct iperf3_count omitted = omitted_of(stream);
        struct iperf3_count ours = since(&now, &omitted);
        struct iperf3_count theirs;
        bool known = theirs_of(test, stream, &theirs);
        if (stream->sends != tx) {
            continue;
        }
        if (tx) {
            put(rows, stream->id, tx, true, &ours);
        }
        if (known) {
            put(rows, stream->id, tx, !tx, &theirs);
        }
        if (!tx) {
            put(rows, stream->id, tx, false, &ours);
        }
    }
    put_sum(rows, tx, true);
    put_sum(rows, tx, false);
}

void iperf3_rows_total(struct iperf3_rows *rows) {
    begin(rows);
    put_total(rows, true);
    put_total(rows, false);
    rows->begun = false;
}

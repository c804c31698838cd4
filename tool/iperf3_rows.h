/* SPDX-License-Identifier: BSD-3-Clause */
/* iperf3_rows.h - a test of iperf 3 as rows: streams and their sums, over an interval or all of it.
 *
 * The lines and the documents are made from these. */
#ifndef ND_TOOL_IPERF3_ROWS_H
#define ND_TOOL_IPERF3_ROWS_H

#include "nd/iperf3.h"

/* -P at most, and streams of both directions. */
#define IPERF3_ROWS_PARALLEL 128
#define IPERF3_ROWS_STREAMS  (2 * IPERF3_ROWS_PARALLEL)

/* Streams, two sums; at the end each as its sender and its receiver has it. */
#define IPERF3_ROWS_MAX (2 * (IPERF3_ROWS_STREAMS + 2))

/* What one end counted of a stream. */
struct iperf3_count {
    uint64_t bytes;
    uint64_t datagrams;         /* sent; UDP */
    struct nd_sequence figures; /* received; UDP */
};

struct iperf3_row {
    uint32_t id; /* of the stream; 0 = a sum */
    bool tx;     /* we send this stream */
    bool sender; /* counted by its sender */
    struct iperf3_count count;
};

/* Owner: the caller; all zero but test before the first report. */
struct iperf3_rows {
    const struct nd_iperf3_test *test;
    struct iperf3_count before[IPERF3_ROWS_STREAMS]; /* at the latest interval's end */
    bool begun;                                      /* before[] is this test's */
    struct iperf3_row rows[IPERF3_ROWS_MAX];
    uint32_t count;
};

/* Make the rows of an interval that ends now. */
void iperf3_rows_interval(struct iperf3_rows *rows);

/* Make the rows of the whole test, of each stream as both ends have it, as far as they are known.
 */
void iperf3_rows_total(struct iperf3_rows *rows);

/* The sum of the streams that we send (tx) or receive, as their sender or their receiver has it;
 * false when that is not known. */
bool iperf3_rows_sum(const struct iperf3_rows *rows, bool tx, bool sender,
                     struct iperf3_count *sum);

#endif

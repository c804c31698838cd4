/* SPDX-License-Identifier: BSD-3-Clause */
/* iperf_lines.h - what happens in tests of iperf 2, in the lines of iperf and in the document. */
#ifndef ND_TOOL_IPERF_LINES_H
#define ND_TOOL_IPERF_LINES_H

#include "nd/iperf.h"
#include "role.h"

/* Tests at once: the streams of a client, or the clients of a server. */
#define IPERF_LINES_TESTS 64

/* Intervals of which a sum may wait for the slowest stream. */
#define IPERF_LINES_SUMS 8

/* What lies beside a place of the engine while a test has it. */
struct iperf_line_test {
    uint32_t session;   /* of the test that is here; 0 = of none */
    uint32_t id;        /* as lines name it; 0 = not told yet */
    uint32_t intervals; /* reported so far */
    json_t *list;       /* of them */
};

/* Streams of one client added up over an interval, or the test. */
struct iperf_line_sum {
    uint32_t count; /* of streams */
    struct nd_flow flow;
    struct nd_sequence datagrams;
    bool receives_datagrams;
    uint64_t from_ns; /* since its test began, of the first stream, */
    uint64_t to_ns;   /* and to the last one's end */
};

/* Begin it all zero but role, iperf, format and parallel. */
struct iperf_lines {
    struct role *role;
    struct nd_iperf *iperf;
    char format;
    uint32_t parallel; /* streams of our client; sums are for more than one */
    struct nd_iperf_test tests[IPERF_LINES_TESTS];
    struct iperf_line_test marks[IPERF_LINES_TESTS];
    struct iperf_line_sum sums[IPERF_LINES_SUMS]; /* of intervals, by their number */
    uint32_t next_sum;
    struct iperf_line_sum total;
    uint32_t last_id;
    uint32_t seen; /* sessions of the agent when lines_look() last looked */
    const char *heading;
    uint32_t ours;   /* tests of our client that are over */
    uint32_t theirs; /* and of others with us as their server */
    uint64_t moved_bytes;
};

/* Tell of tests that have begun since. Call it after every poll. */
void iperf_lines_look(struct iperf_lines *lines);

/* Tell of an interval, or of a test that is over; enter it into the document. */
void iperf_lines_report(struct iperf_lines *lines, const struct nd_report *report);

/* Tell the sums that wait for streams which are over. */
void iperf_lines_end(struct iperf_lines *lines);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* iperf3_lines.h - a test of iperf 3 in the lines of iperf3. */
#ifndef ND_TOOL_IPERF3_LINES_H
#define ND_TOOL_IPERF3_LINES_H

#include "iperf3_rows.h"
#include "nd/agent.h"

/* All zero but agent, test and format at the beginning. */
struct iperf3_lines {
    const struct nd_agent *agent;
    const struct nd_iperf3_test *test;
    char format;
    uint32_t told; /* session of the test whose beginning was told */
    bool headed;   /* and its heading */
};

/* Tell who is connected with whom, once the data of a test moves. */
void iperf3_lines_begin(struct iperf3_lines *lines);

/* Tell the rows of an interval, or of the whole test. */
void iperf3_lines_tell(struct iperf3_lines *lines, const struct iperf3_rows *rows,
                       const struct nd_report *report);

#endif

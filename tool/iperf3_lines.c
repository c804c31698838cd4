/* SPDX-License-Identifier: BSD-3-Clause */
#include "iperf3_lines.h"

#include <inttypes.h>
#include <stdio.h>

#include "iperf_text.h"

static const char rule[] = "- - - - - - - - - - - - - - - - - - - - - - - - -";

/* "[  1]", "[SUM]"; in a test of both directions with ours behind it: "[  1][TX-C]". */
static void tell_name(const struct nd_iperf3_test *test, uint32_t id, bool tx) {
    if (id != 0) {
        printf("[%3" PRIu32 "]", id);
    } else {
        printf("[SUM]");
    }
    if (test->params.bidir) {
        printf("[%s-%c]", tx ? "TX" : "RX", test->server ? 'S' : 'C');
    }
}

static void tell_stream(const struct iperf3_lines *lines, const struct nd_iperf3_stream *stream) {
    struct nd_conn *conn = stream->conn != NULL ? stream->conn : lines->test->udp;
    char local[IPERF_TEXT_BYTES], peer[IPERF_TEXT_BYTES];
    struct nd_conn_info info;

    if (conn == NULL) {
        return;
    }
    lines->agent->cfg.port->info(conn, &info);
    tell_name(lines->test, stream->id, stream->sends);
    printf(" local %s connected to %s\n", iperf_text_end(&info.local, local),
           iperf_text_end(lines->test->params.udp ? &stream->peer : &info.peer, peer));
}

void iperf3_lines_begin(struct iperf3_lines *lines) {
    const struct nd_iperf3_test *test = lines->test;

    if (!test->started || test->session.number == lines->told || test->session.number == 0) {
        return;
    }
    lines->told = test->session.number;
    lines->headed = false;
    for (uint32_t i = 0; i < test->stream_used; i++) {
        tell_stream(lines, &test->memory.streams[i]);
    }
    fflush(stdout);
}

/* Columns beyond those that every test has. */
static const char *more_columns(const struct nd_iperf3_test *test, bool interval) {
    bool receives = test->params.bidir || test->params.reverse != test->server;

    if (!test->params.udp) {
        return "";
    }
    return receives || !interval ? "         Jitter    Lost/Total Datagrams"
                                 : "         Total Datagrams";
}

static void tell_heading(struct iperf3_lines *lines, bool interval) {
    if (!lines->headed || !interval) {
        printf("[ ID]%s Interval           Transfer     Bitrate%s\n",
               lines->test->params.bidir ? "[Role]" : "", more_columns(lines->test, interval));
        lines->headed = true;
    }
}

/* Is this row all that we received? Then the engine has figures that no stream has. */
static const struct nd_sequence *figures_of(const struct iperf3_lines *lines,
                                            const struct iperf3_row *row,
                                            const struct nd_report *report) {
    bool whole = row->id == 0 || lines->test->params.parallel == 1;

    return whole && !row->tx && report->datagrams != NULL ? report->datagrams : &row->count.figures;
}

static void tell_datagrams(const struct iperf3_lines *lines, const struct iperf3_row *row,
                           const struct nd_report *report, uint64_t ns) {
    const struct nd_sequence *figures = figures_of(lines, row, report);
    char jitter[IPERF_TEXT_BYTES], loss[IPERF_TEXT_BYTES], more[4 * IPERF_TEXT_BYTES];

    if (row->sender && report->interval) {
        printf("  %" PRIu64, row->count.datagrams);
    } else if (row->sender) { /* who sends sees no loss */
        printf("    n/a ms  -/%" PRIu64, row->count.datagrams);
    } else {
        printf("  %s  %s", iperf_text_jitter(figures->jitter_ns, jitter),
               iperf_text_loss(figures->lost, figures->expected, loss));
    }
    if (!row->sender && !row->tx) {
        iperf_text_more(lines->format, figures, ns, more, sizeof more);
        printf("%s", more);
    } else if (ns > 0) {
        uint64_t count = row->sender ? row->count.datagrams : figures->datagrams;
        printf("  %.0f pps", (double)count * 1e9 / (double)ns);
    }
}

static void tell_row(const struct iperf3_lines *lines, const struct iperf3_row *row,
                     const struct nd_report *report) {
    const struct nd_iperf3_test *test = lines->test;
    uint64_t from = report->begin > test->begin ? report->begin - test->begin : 0;
    uint64_t to = report->end > test->begin ? report->end - test->begin : 0;
    uint64_t from_ns = nd_agent_ns(lines->agent, from);
    uint64_t to_ns = nd_agent_ns(lines->agent, to);
    uint64_t ns = to_ns > from_ns ? to_ns - from_ns : 0;
    char amount[IPERF_TEXT_BYTES], rate[IPERF_TEXT_BYTES];

    tell_name(test, row->id, row->tx);
    printf(" %6.2f-%-6.2f sec  %s  %s", (double)from_ns / 1e9, (double)to_ns / 1e9,
           iperf_text_amount(lines->format, row->count.bytes, amount),
           iperf_text_rate(lines->format, row->count.bytes, ns, rate));
    if (test->params.udp) {
        tell_datagrams(lines, row, report, ns);
    }
    if (!report->interval) {
        printf("  %s", row->sender ? "sender" : "receiver");
    }
    printf("\n");
}

void iperf3_lines_tell(struct iperf3_lines *lines, const struct iperf3_rows *rows,
                       const struct nd_report *report) {
    iperf3_lines_begin(lines);
    if (!report->interval) {
        printf("%s\n", rule);
    } else if (lines->headed && (rows->count > 1)) {
        printf("%s\n", rule);
    }
    tell_heading(lines, report->interval);
    for (uint32_t i = 0; i < rows->count; i++) {
        tell_row(lines, &rows->rows[i], report);
    }
    fflush(stdout);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "iperf_lines.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "iperf_text.h"
#include "role_step.h"

#define HEADING "[ ID] Interval       Transfer     Bandwidth"

static const char plain_heading[] = HEADING;
static const char datagram_heading[] = HEADING "        Jitter   Lost/Total Datagrams";

/* ---- lines ----------------------------------------------------------------------------- */

/* One direction of a test, or a sum, over a time. */
struct line {
    char name[12]; /* "  1", " *1", "SUM" */
    uint64_t from_ns;
    uint64_t to_ns;
    uint64_t bytes;
    uint64_t tx_datagrams;
    const struct nd_sequence *datagrams; /* received; NULL = none are */
};

static void tell_heading(struct iperf_lines *lines, const char *heading) {
    if (lines->heading != heading) {
        printf("%s\n", heading);
        lines->heading = heading;
    }
}

static void tell_line(struct iperf_lines *lines, const struct line *line) {
    uint64_t ns = line->to_ns > line->from_ns ? line->to_ns - line->from_ns : 0;
    char amount[IPERF_TEXT_BYTES], rate[IPERF_TEXT_BYTES];

    tell_heading(lines, line->datagrams != NULL ? datagram_heading : plain_heading);
    printf("[%s] %6.4f-%6.4f sec  %s  %s", line->name, (double)line->from_ns / 1e9,
           (double)line->to_ns / 1e9, iperf_text_amount(lines->format, line->bytes, amount),
           iperf_text_rate(lines->format, line->bytes, ns, rate));
    if (line->datagrams != NULL) {
        const struct nd_sequence *figures = line->datagrams;
        char jitter[IPERF_TEXT_BYTES], loss[IPERF_TEXT_BYTES], more[4 * IPERF_TEXT_BYTES];
        iperf_text_more(lines->format, figures, ns, more, sizeof more);
        printf("   %s %s%s", iperf_text_jitter(figures->jitter_ns, jitter),
               iperf_text_loss(figures->lost, figures->expected, loss), more);
    } else if (line->tx_datagrams > 0 && ns > 0) {
        printf("  %.0f pps", (double)line->tx_datagrams * 1e9 / (double)ns);
    }
    printf("\n");
    fflush(stdout);
}

/* Both directions of a report, the second one with a star. */
static void tell_directions(struct iperf_lines *lines, const struct nd_report *report,
                            const struct nd_iperf_test *test, uint32_t id, uint64_t begin,
                            uint64_t end) {
    struct line line = {
        .from_ns = nd_agent_ns(&lines->role->agent, begin - test->begin),
        .to_ns = nd_agent_ns(&lines->role->agent, end - test->begin),
    };

    if (test->sends) {
        snprintf(line.name, sizeof line.name, "%3" PRIu32, id);
        line.bytes = report->flow.tx.bytes;
        line.tx_datagrams = report->tx_datagrams;
        tell_line(lines, &line);
    }
    if (test->receives) {
        snprintf(line.name, sizeof line.name, test->sends ? " *%" PRIu32 : "%3" PRIu32, id);
        line.bytes = report->flow.rx.bytes;
        line.datagrams = report->datagrams;
        tell_line(lines, &line);
    }
}

/* ---- tests that begin ---------------------------------------------------------------- */

static bool is_under_way(const struct nd_iperf_test *test) {
    return test->state >= ND_IPERF_RUN && test->session.number != 0;
}

static void tell_begin(struct iperf_lines *lines, const struct nd_iperf_test *test, uint32_t id) {
    struct nd_conn *conn =
        test->session.conn != NULL ? test->session.conn : lines->iperf->socket.conn;
    char local[IPERF_TEXT_BYTES], peer[IPERF_TEXT_BYTES];
    struct nd_conn_info info;

    if (!lines->role->text) {
        return;
    }
    lines->role->agent.cfg.port->info(conn, &info);
    printf("[%3" PRIu32 "] local %s connected with %s\n", id, iperf_text_end(&info.local, local),
           iperf_text_end(&test->peer, peer));
    fflush(stdout);
}

/* The test in this place, told of if it is new. */
static struct iperf_line_test *know(struct iperf_lines *lines, uint32_t place) {
    const struct nd_iperf_test *test = &lines->tests[place];
    struct iperf_line_test *mark = &lines->marks[place];

    if (mark->session != test->session.number) {
        *mark = (struct iperf_line_test){.session = test->session.number};
    }
    if (mark->id == 0 && is_under_way(test)) {
        mark->id = ++lines->last_id;
        tell_begin(lines, test, mark->id);
    }
    return mark;
}

void iperf_lines_look(struct iperf_lines *lines) {
    bool pending = false;

    if (lines->seen == lines->role->agent.session_count) {
        return;
    }
    for (uint32_t i = 0; i < IPERF_LINES_TESTS; i++) {
        const struct nd_iperf_test *test = &lines->tests[i];
        if (test->session.number != 0) {
            know(lines, i);
            pending |= !is_under_way(test);
        }
    }
    if (!pending) {
        lines->seen = lines->role->agent.session_count;
    }
}

/* ---- sums ------------------------------------------------------------------------------ */

static void add_figures(struct nd_sequence *sum, const struct nd_sequence *one) {
    sum->datagrams += one->datagrams;
    sum->expected += one->expected;
    sum->lost += one->lost;
    sum->recovered += one->recovered;
    sum->duplicates += one->duplicates;
    sum->reordered += one->reordered;
    sum->late += one->late;
    if (one->jitter_ns > sum->jitter_ns) {
        sum->jitter_ns = one->jitter_ns;
    }
}

static void add_to_sum(struct iperf_line_sum *sum, const struct nd_report *report, uint64_t from_ns,
                       uint64_t to_ns) {
    if (sum->count == 0) {
        sum->from_ns = from_ns;
        sum->datagrams.jitter_ns = ND_NO_SAMPLES;
        sum->datagrams.sent_ns = ND_NOT_SUPPORTED;
    }
    sum->count++;
    sum->flow.rx.bytes += report->flow.rx.bytes;
    sum->flow.tx.bytes += report->flow.tx.bytes;
    sum->from_ns = from_ns < sum->from_ns ? from_ns : sum->from_ns;
    sum->to_ns = to_ns > sum->to_ns ? to_ns : sum->to_ns;
    if (report->datagrams != NULL) {
        sum->receives_datagrams = true;
        add_figures(&sum->datagrams, report->datagrams);
    }
}

static void tell_sum(struct iperf_lines *lines, struct iperf_line_sum *sum) {
    struct line line = {
        .name = "SUM",
        .from_ns = sum->from_ns,
        .to_ns = sum->to_ns,
        .bytes = sum->flow.rx.bytes + sum->flow.tx.bytes,
        .datagrams = sum->receives_datagrams ? &sum->datagrams : NULL,
    };

    if (lines->role->text && sum->count > 0) {
        tell_line(lines, &line);
    }
    *sum = (struct iperf_line_sum){0};
}

static void tell_next_sum(struct iperf_lines *lines) {
    tell_sum(lines, &lines->sums[lines->next_sum % IPERF_LINES_SUMS]);
    lines->next_sum++;
}

/* The sum of an interval is told when every stream has had it; one that waits too long, as it is.
 */
static void sum_interval(struct iperf_lines *lines, const struct nd_report *report, uint32_t number,
                         uint64_t from_ns, uint64_t to_ns) {
    while (number >= lines->next_sum + IPERF_LINES_SUMS) {
        tell_next_sum(lines);
    }
    if (number < lines->next_sum) {
        return;
    }
    add_to_sum(&lines->sums[number % IPERF_LINES_SUMS], report, from_ns, to_ns);
    while (lines->sums[lines->next_sum % IPERF_LINES_SUMS].count == lines->parallel) {
        tell_next_sum(lines);
    }
}

void iperf_lines_end(struct iperf_lines *lines) {
    if (lines->parallel < 2) {
        return;
    }
    for (uint32_t i = 0; i < IPERF_LINES_SUMS; i++) {
        tell_next_sum(lines);
    }
    tell_sum(lines, &lines->total);
}

static void add_sums(struct iperf_lines *lines, const struct nd_report *report,
                     const struct nd_iperf_test *test, uint32_t number, uint64_t end) {
    uint64_t from_ns = nd_agent_ns(&lines->role->agent, report->begin - test->begin);
    uint64_t to_ns = nd_agent_ns(&lines->role->agent, end - test->begin);

    if (lines->parallel < 2 || test->server || test->sends == test->receives) {
        return;
    }
    if (report->interval) {
        sum_interval(lines, report, number, from_ns, to_ns);
    } else {
        add_to_sum(&lines->total, report, from_ns, to_ns);
    }
}

/* ---- reports --------------------------------------------------------------------------- */

/* What the receiver of our datagrams says. */
static void tell_peer(struct iperf_lines *lines, const struct nd_report *report, uint32_t id) {
    struct line line = {
        .to_ns = report->peer_ns,
        .bytes = report->peer_datagrams->bytes,
        .datagrams = report->peer_datagrams,
    };

    printf("[%3" PRIu32 "] Server Report:\n", id);
    lines->heading = NULL;
    snprintf(line.name, sizeof line.name, "%3" PRIu32, id);
    tell_line(lines, &line);
}

static void tell_sent(const struct nd_report *report, uint32_t id) {
    if (report->tx_datagrams == 0) {
        return;
    }
    printf("[%3" PRIu32 "] Sent %" PRIu64 " datagrams", id, report->tx_datagrams);
    if (report->tx_failures > 0) {
        printf(", the stack had no room %" PRIu64 " times", report->tx_failures);
    }
    printf("\n");
    fflush(stdout);
}

static uint64_t moved_by(const struct nd_report *report) {
    if (report->peer_datagrams != NULL) {
        return report->peer_datagrams->bytes; /* that it left is not that it arrived */
    }
    return report->flow.rx.bytes + report->flow.tx.bytes;
}

static void finish(struct iperf_lines *lines, const struct nd_report *report,
                   const struct nd_iperf_test *test, struct iperf_line_test *mark) {
    json_t *step = role_step(lines->role, report);
    char who[16] = "";

    if (mark->list != NULL) {
        json_object_set_new(step, "intervals", mark->list);
        mark->list = NULL;
    }
    json_array_append_new(lines->role->result.steps, step);
    if (lines->role->text && mark->id != 0) {
        tell_sent(report, mark->id);
        if (report->peer_datagrams != NULL) {
            tell_peer(lines, report, mark->id);
        }
        snprintf(who, sizeof who, "[%3" PRIu32 "] ", mark->id);
    }
    role_judge(lines->role, who, report);
    lines->moved_bytes += moved_by(report);
    lines->ours += !test->server;
    lines->theirs += test->server;
}

/* A receiver of TCP waits for the end of the connection, which is no part of the rate. */
static uint64_t end_of(const struct nd_report *report, const struct nd_iperf_test *test) {
    if (!report->interval && !test->sends && report->flow.rx.bytes > 0) {
        return report->flow.rx.last;
    }
    return report->end;
}

void iperf_lines_report(struct iperf_lines *lines, const struct nd_report *report) {
    uint32_t place = 0;

    while (place < IPERF_LINES_TESTS && lines->tests[place].session.number != report->session) {
        place++;
    }
    if (place == IPERF_LINES_TESTS) {
        return; /* the server's socket */
    }
    const struct nd_iperf_test *test = &lines->tests[place];
    struct iperf_line_test *mark = know(lines, place);
    uint64_t end = end_of(report, test);

    if (lines->role->text && mark->id != 0) {
        tell_directions(lines, report, test, mark->id, report->begin, end);
    }
    if (mark->id != 0) {
        add_sums(lines, report, test, mark->intervals, end);
    }
    if (!report->interval) {
        finish(lines, report, test, mark);
        return;
    }
    mark->intervals++;
    if (mark->list == NULL) {
        mark->list = json_array();
    }
    json_array_append_new(mark->list, role_interval(lines->role, report, test->begin));
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "interval_lines.h"
#include "station.h"

#include <string.h>

#include "nd/fmt.h"

static const struct nd_console *people;
static struct nd_agent *counted;

/* A number of hundredths. */
static void tell_hundredths(struct nd_fmt *out, uint64_t value) {
    nd_fmt_u64(out, value / 100);
    nd_fmt_char(out, '.');
    nd_fmt_char(out, (char)('0' + value / 10 % 10));
    nd_fmt_char(out, (char)('0' + value % 10));
}

static void tell(const struct nd_report *report) {
    const uint64_t ns = nd_agent_ns(counted, report->end - report->begin);
    const uint64_t bytes = report->flow.rx.bytes;
    char line[96];
    struct nd_fmt out;

    nd_fmt_init(&out, line, sizeof line);
    nd_fmt_text(&out, "Interval: ");
    tell_hundredths(&out, ns / 10000000);
    nd_fmt_text(&out, " sec | Received: ");
    nd_fmt_u64(&out, bytes);
    nd_fmt_text(&out, " bytes | Throughput: ");
    /* bit/ns is Gbit/s; a hundredth of a Mbit/s is 10^-5 of that. */
    tell_hundredths(&out, ns > 0 ? bytes * 8 * 100000 / ns : 0);
    nd_fmt_text(&out, " Mbps\n");
    nd_station_console_write(line, nd_fmt_length(&out));
}

static void put(void *ctx, const struct nd_report *report) {
    (void)ctx;
    if (!people->json && report->interval && report->datagrams != NULL &&
        strcmp(report->engine, "iperf") == 0 && strcmp(report->role, "server") == 0) {
        tell(report);
    }
}

void nd_interval_lines_start(struct nd_agent *agent, const struct nd_console *console) {
    static struct nd_report_sink sink = {.put = put};

    people = console;
    counted = agent;
    nd_agent_add_sink(agent, &sink);
}

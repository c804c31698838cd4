/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_ttcp.c - the classic program's two roles, its flags and its lines. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "commands.h"
#include "host.h"
#include "measure.h"
#include "nd/ttcp.h"
#include "result.h"
#include "say.h"
#include "signals.h"

struct options {
    bool transmit;
    bool receive;
    bool sink;
    bool udp;
    bool no_delay;
    bool full_blocks;
    bool verbose;
    const char *format;
    uint64_t nbuf;
    uint64_t buflen;
    uint64_t port;
    const char *json;
};

#define AT(member) offsetof(struct options, member)

static const struct opt rows[] = {
    OPT_ROW_FLAG('t', NULL, AT(transmit), "transmit to HOST"),
    OPT_ROW_FLAG('r', NULL, AT(receive), "receive from one transmitter"),
    OPT_ROW_FLAG('s', NULL, AT(sink), "source or sink a pattern; must be given"),
    OPT_ROW_FLAG('u', NULL, AT(udp), "datagrams, at most 1520 byte long"),
    OPT_ROW_NUMBER('n', NULL, "N", AT(nbuf), UNITS_COUNT, ND_TTCP_NBUF, 1, UINT32_MAX,
                   "buffers to transmit"),
    OPT_ROW_NUMBER('l', NULL, "BYTES", AT(buflen), UNITS_BYTES, ND_TTCP_BUFLEN, 1, 1u << 30,
                   "length of a buffer"),
    OPT_ROW_NUMBER('p', NULL, "PORT", AT(port), UNITS_COUNT, ND_TTCP_PORT, 0, 65535,
                   "port; 0 = any free one, with -r"),
    OPT_ROW_TEXT('f', NULL, "FORMAT", AT(format),
                 "rate in k, m, g bit/s (decimal) or K, M, G byte/s [K]"),
    OPT_ROW_FLAG('D', NULL, AT(no_delay), "send small writes at once; always so here"),
    OPT_ROW_FLAG('B', NULL, AT(full_blocks), "accepted: with -s every block is full"),
    OPT_ROW_FLAG('v', NULL, AT(verbose), "more figures"),
    OPT_ROW_TEXT(0, "json", "FILE", AT(json), "write the result document, - = stdout"),
    OPT_ROW_END,
};

/* What -f may ask for: bits are decimal, bytes binary. */
struct rate_format {
    char letter;
    double units_per_byte;
    const char *name;
};

static const struct rate_format formats[] = {
    {'K', 1.0 / 1024, "KB"},  {'M', 1.0 / 1048576, "MB"}, {'G', 1.0 / 1073741824, "GB"},
    {'k', 8.0 / 1e3, "Kbit"}, {'m', 8.0 / 1e6, "Mbit"},   {'g', 8.0 / 1e9, "Gbit"},
};

/* Processor time of this process [us]. */
struct cpu {
    uint64_t user_us;
    uint64_t system_us;
};

static struct cpu cpu_so_far(void) {
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (struct cpu){
        .user_us = (uint64_t)usage.ru_utime.tv_sec * 1000000u + (uint64_t)usage.ru_utime.tv_usec,
        .system_us = (uint64_t)usage.ru_stime.tv_sec * 1000000u + (uint64_t)usage.ru_stime.tv_usec,
    };
}

struct ttcp {
    const struct options *options;
    const struct rate_format *format;
    const char *name; /* "ttcp-t" or "ttcp-r" */
    struct nd_agent agent;
    struct nd_ttcp engine;
    struct result result;
    struct cpu began;
    bool accepted;
    bool over;
    bool failed;
    bool text;
};

/* Who transmits to us; false before anybody does. */
static bool find_peer(const struct ttcp *ttcp, struct nd_addr *peer) {
    struct nd_conn_info info;

    if (ttcp->options->udp) {
        *peer = ttcp->engine.peer;
        return ttcp->engine.connected;
    }
    if (ttcp->engine.session.conn == NULL) {
        return false;
    }
    ttcp->agent.cfg.port->info(ttcp->engine.session.conn, &info);
    *peer = info.peer;
    return true;
}

static bool is_over(void *ctx) {
    struct ttcp *ttcp = ctx;
    struct nd_addr from;
    char peer[ND_ADDR_TEXT_BYTES];

    if (!ttcp->accepted && ttcp->options->receive && find_peer(ttcp, &from)) {
        nd_addr_format(&from, peer);
        ttcp->accepted = true;
        ttcp->began = cpu_so_far();
        if (ttcp->text) {
            printf("%s: accept from %s\n", ttcp->name, peer);
            fflush(stdout);
        }
    }
    return ttcp->over;
}

/* Every rate is the printed bytes over the printed time. */
static void tell_rate(const struct ttcp *ttcp, uint64_t bytes, uint64_t us, const char *what,
                      const char *mark) {
    const struct rate_format *format = ttcp->format;

    printf("%s: %" PRIu64 " bytes in %" PRIu64 ".%06" PRIu64 " %s seconds = ", ttcp->name, bytes,
           us / 1000000u, us % 1000000u, what);
    if (us > 0) {
        printf("%.3f %s/sec%s\n", (double)bytes * format->units_per_byte * 1e6 / (double)us,
               format->name, mark);
    } else {
        printf("no rate%s\n", mark);
    }
}

/* What the test itself took: from its start, or the caller's arrival. */
static void tell_cpu(const struct ttcp *ttcp, uint64_t bytes, uint64_t real_us) {
    struct cpu now = cpu_so_far();
    uint64_t user_us = now.user_us - ttcp->began.user_us;
    uint64_t system_us = now.system_us - ttcp->began.system_us;

    printf("%s: %.6fuser %.6fsys %.6freal", ttcp->name, (double)user_us / 1e6,
           (double)system_us / 1e6, (double)real_us / 1e6);
    if (real_us > 0) {
        printf(" %.0f%%", (double)(user_us + system_us) * 100 / (double)real_us);
    }
    printf("\n");
    if (ttcp->options->verbose) {
        tell_rate(ttcp, bytes, user_us + system_us, "CPU", "");
    }
}

/* From the first byte sent to the last one acknowledged; false when that is not known. */
static bool find_acknowledged(const struct ttcp *ttcp, const struct nd_report *report,
                              struct measure_span *span) {
    if (report->tail_ticks < 0) {
        return false;
    }
    *span = measure_span_of(&ttcp->agent, &report->flow.tx);
    span->last_ns += nd_agent_ns(&ttcp->agent, (uint64_t)report->tail_ticks);
    return true;
}

static void tell_verbose(const struct ttcp *ttcp, const struct measure_span *span,
                         const struct nd_report *report) {
    int64_t goodput_bit_s = measure_goodput_bit_s(span);
    struct measure_span acknowledged;

    if (goodput_bit_s >= 0 && ttcp->options->receive) {
        printf("%s: first to last byte %.6f seconds, %.3f Mbit/s (decimal)\n", ttcp->name,
               (double)(span->last_ns - span->first_ns) / 1e9, (double)goodput_bit_s / 1e6);
    } else if (goodput_bit_s >= 0 && find_acknowledged(ttcp, report, &acknowledged)) {
        printf("%s: first byte to last acknowledgement %.6f seconds, %.3f Mbit/s (decimal)\n",
               ttcp->name, (double)(acknowledged.last_ns - acknowledged.first_ns) / 1e9,
               (double)measure_goodput_bit_s(&acknowledged) / 1e6);
    }
    if (report->tail_ticks >= 0) {
        printf("%s: last byte to its acknowledgement %.6f seconds\n", ttcp->name,
               (double)nd_agent_ns(&ttcp->agent, (uint64_t)report->tail_ticks) / 1e9);
    }
}

static uint64_t datagrams_of(const struct nd_report *report) {
    return report->tx_datagrams + report->rx_datagrams; /* it has one of the two */
}

/* A transmitter does not know when the other end had the bytes, but when it had acknowledged them.
 */
static void file_rate(const struct ttcp *ttcp, json_t *step, const struct measure_span *span,
                      const struct nd_report *report) {
    struct measure_span acknowledged;

    if (ttcp->options->receive) {
        result_value(step, "goodput_bit_s", measure_goodput_bit_s(span));
        return;
    }
    result_value(step, "goodput_bit_s", ND_NOT_SUPPORTED);
    if (find_acknowledged(ttcp, report, &acknowledged)) {
        result_value(step, "acknowledged_bit_s", measure_goodput_bit_s(&acknowledged));
    } else {
        result_value(step, "acknowledged_bit_s", ND_NOT_SUPPORTED);
    }
}

static void file_report(struct ttcp *ttcp, const struct measure_span *span,
                        const struct nd_report *report) {
    json_t *step = json_object();

    result_text(step, "step", ttcp->options->transmit ? "ttcp-tx" : "ttcp-rx");
    result_text(step, "status", report->result == ND_OK ? "ok" : "failed");
    if (report->result != ND_OK) {
        result_text(step, "reason", nd_error_name(report->result));
    }
    result_value(step, ttcp->options->transmit ? "tx_bytes" : "rx_bytes", (int64_t)span->bytes);
    result_value(step, "buflen_bytes", (int64_t)ttcp->options->buflen);
    if (ttcp->options->udp) {
        result_value(step, ttcp->options->transmit ? "tx_datagrams" : "rx_datagrams",
                     (int64_t)datagrams_of(report));
    }
    result_value(step, "elapsed_ns", (int64_t)(span->last_ns - span->first_ns));
    file_rate(ttcp, step, span, report);
    result_value(step, "tail_ns",
                 report->tail_ticks < 0
                     ? report->tail_ticks
                     : (int64_t)nd_agent_ns(&ttcp->agent, (uint64_t)report->tail_ticks));
    json_array_append_new(ttcp->result.steps, step);
}

/* The time of the rate: from the connection to the last byte received, or acknowledged. */
static uint64_t real_us(const struct ttcp *ttcp, const struct nd_report *report) {
    uint64_t end = ttcp->options->transmit ? report->end : report->flow.rx.last;

    if (report->flow.rx.bytes + report->flow.tx.bytes == 0) {
        return 0;
    }
    return (nd_agent_ns(&ttcp->agent, end - report->begin) + 500) / 1000;
}

static void take_report(void *ctx, const struct nd_report *report) {
    struct ttcp *ttcp = ctx;
    struct measure_span span = measure_span_of(
        &ttcp->agent, ttcp->options->transmit ? &report->flow.tx : &report->flow.rx);
    uint64_t us = real_us(ttcp, report);

    ttcp->over = true;
    file_report(ttcp, &span, report);
    if (ttcp->text && span.bytes > 0) {
        tell_rate(ttcp, span.bytes, us, "real", " +++");
        if (ttcp->options->udp) {
            printf("%s: %" PRIu64 " datagrams\n", ttcp->name, datagrams_of(report));
        }
        tell_cpu(ttcp, span.bytes, us);
        if (ttcp->options->verbose) {
            tell_verbose(ttcp, &span, report);
        }
    }
    if (report->result != ND_OK) {
        ttcp->failed = true;
        say_error("%s: %s after %" PRIu64 " byte", ttcp->name, nd_error_name(report->result),
                  span.bytes);
    }
}

/* Where the receiver listens. */
static uint16_t listens_at(const struct ttcp *ttcp) {
    struct nd_conn_info info;

    if (!ttcp->options->udp) {
        return ttcp->engine.service.at.port;
    }
    ttcp->agent.cfg.port->info(ttcp->engine.session.conn, &info);
    return info.local.port;
}

static int start(struct ttcp *ttcp, const struct nd_addr *addr) {
    const struct nd_ttcp_cfg cfg = {
        .transmit = ttcp->options->transmit,
        .udp = ttcp->options->udp,
        .borrow = true,
        .addr = *addr,
        .nbuf = ttcp->options->nbuf,
        .buflen = (uint32_t)ttcp->options->buflen,
    };
    ttcp->began = cpu_so_far();
    int result = nd_ttcp_start(&ttcp->engine, &ttcp->agent, &cfg);

    if (result != ND_OK) {
        say_error("%s: cannot %s port %u: %s", ttcp->name,
                  ttcp->options->transmit ? "connect to" : "listen at", addr->port,
                  nd_error_name(result));
        return SAY_FAILED;
    }
    if (ttcp->text) {
        unsigned port = ttcp->options->transmit ? addr->port : listens_at(ttcp);
        printf("%s: nbuf=%" PRIu64 ", buflen=%" PRIu64 ", port=%u\n%s: socket\n", ttcp->name,
               ttcp->options->nbuf, ttcp->options->buflen, port, ttcp->name);
        if (ttcp->options->transmit && !ttcp->options->udp) {
            printf("%s: connect\n", ttcp->name);
        }
        fflush(stdout);
    }
    return SAY_DONE;
}

static int run_test(struct ttcp *ttcp, struct host *host, const struct nd_addr *addr) {
    struct nd_report_sink sink = {.put = take_report, .ctx = ttcp};
    const struct nd_agent_cfg cfg = {
        .port = host->port, .port_ctx = host->port_ctx, .clock = host->clock};
    int result = nd_agent_init(&ttcp->agent, &cfg);
    int code;

    if (result != ND_OK) {
        say_error("%s: cannot start: %s", ttcp->name, nd_error_name(result));
        return SAY_FAILED;
    }
    nd_agent_add_sink(&ttcp->agent, &sink);
    code = start(ttcp, addr);
    if (code == SAY_DONE) {
        host_run(host, &ttcp->agent, is_over, ttcp);
        nd_agent_close(&ttcp->agent);
        code = ttcp->failed ? SAY_FAILED : SAY_DONE;
    }
    return code;
}

static int run_host(struct ttcp *ttcp, const struct nd_addr *addr, const char *target) {
    struct host host;
    int code;

    if (host_open(&host, 2) != 0) {
        return SAY_FAILED;
    }
    result_begin(&ttcp->result, target, "ttcp");
    code = run_test(ttcp, &host, addr);
    if (ttcp->options->json != NULL) {
        result_finish(&ttcp->result);
        if (result_write(ttcp->result.root, ttcp->options->json) != 0) {
            code = SAY_FAILED;
        }
    }
    result_end(&ttcp->result);
    host_close(&host);
    return signals_exit(code);
}

static const struct rate_format *find_format(const char *text) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        if (text == NULL || (text[0] == formats[i].letter && text[1] == '\0')) {
            return &formats[i];
        }
    }
    return NULL;
}

static int check(const struct ttcp *ttcp, const struct opt_list *operands) {
    const struct options *options = ttcp->options;

    if (options->transmit == options->receive) {
        return say_usage("ttcp", "expected -t HOST or -r");
    }
    if (options->transmit && operands->count == 0) {
        return say_usage("ttcp", "-t needs the HOST of the receiver");
    }
    if (options->receive && operands->count > 0) {
        return say_usage("ttcp", "-r takes no HOST");
    }
    if (!options->sink) {
        return say_usage("ttcp", "data from standard input, or to standard output, is not "
                                 "supported: give -s");
    }
    if (options->transmit && options->port == 0) {
        return say_usage("ttcp", "-p 0 is out of range, expected 1 to 65535 with -t");
    }
    if (options->udp && options->transmit &&
        (options->buflen < ND_TTCP_DATAGRAM_MIN || options->buflen > ND_TTCP_DATAGRAM_MAX)) {
        return say_usage("ttcp", "-l %" PRIu64 " is out of range, expected %u to %u with -u",
                         options->buflen, ND_TTCP_DATAGRAM_MIN, ND_TTCP_DATAGRAM_MAX);
    }
    if (ttcp->format == NULL) {
        return say_usage("ttcp", "-f %s: expected one of: k, m, g, K, M, G", options->format);
    }
    return SAY_DONE;
}

static int run(const void *ctx, const struct opt_list *operands) {
    const struct options *options = ctx;
    struct ttcp ttcp = {.options = options, .format = find_format(options->format)};
    struct nd_addr addr = {.port = (uint16_t)options->port};
    char error[256];
    int code = check(&ttcp, operands);

    if (code != SAY_DONE) {
        return code;
    }
    ttcp.name = options->transmit ? "ttcp-t" : "ttcp-r";
    ttcp.text = options->json == NULL || strcmp(options->json, "-") != 0;
    if (options->transmit) {
        int result = host_resolve(operands->items[0], &addr, error, sizeof error);

        if (result == ND_E_ARG) {
            return say_usage("ttcp", "%s", error);
        }
        if (result != ND_OK) {
            say_error("%s: %s", ttcp.name, error);
            return SAY_FAILED;
        }
    }
    return run_host(&ttcp, &addr, options->transmit ? operands->items[0] : "any");
}

const struct command cmd_ttcp = {
    .name = "ttcp",
    .summary = "The classic ttcp over TCP and UDP, transmitter or receiver",
    .operands = "[HOST]",
    .operands_min = 0,
    .operands_max = 1,
    .options = rows,
    .options_size = sizeof(struct options),
    .notes = "Receiver:    netdyno ttcp -r -s -p5000\n"
             "Transmitter: netdyno ttcp -t -s -p5000 -n128 HOST\n\n"
             "The time is measured from the connection to the last byte received or, when\n"
             "transmitting, acknowledged. The rate is the printed bytes over the printed time.\n"
             "Datagrams bear no number: lost is what one end sent less what the other got.",
    .run = run,
};

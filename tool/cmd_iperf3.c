/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_iperf3.c - iperf 3's client and server, its flags and its lines. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "iperf3_json.h"
#include "iperf3_lines.h"
#include "iperf3_rows.h"
#include "iperf_text.h"
#include "role.h"
#include "role_step.h"
#include "say.h"
#include "signals.h"

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)

/* Longest datagram that IPv4 carries [byte]. */
#define DATAGRAM_BYTES 65507u

/* Longest block that the protocol's programs take [byte]. */
#define BLOCK_BYTES (1024u * 1024u)

/* Seconds that may be omitted at most, as iperf3 has it. */
#define OMIT_S 600u

/* Connections at once: streams, control, listener and callers that wait. */
#define CONNS (2 * IPERF3_ROWS_STREAMS + 8)

/* The server's results are kept up to this [byte]. */
#define RESULTS_BYTES (1u << 20)

struct options {
    bool server;
    bool one_off;
    bool udp;
    bool reverse;
    bool bidir;
    bool server_output;
    bool counters_64bit;
    bool iperf3_json;
    bool force_flush;
    const char *host;
    const char *rate;
    const char *format;
    const char *json;
    uint64_t port;
    uint64_t time_ns;
    uint64_t bytes;
    uint64_t blocks;
    uint64_t len;
    uint64_t parallel;
    uint64_t interval_ns;
    uint64_t omit_ns;
};

#define AT(member) offsetof(struct options, member)

static const struct opt rows[] = {
    OPT_ROW_FLAG('s', "server", AT(server), "serve one test after another until Ctrl-C"),
    OPT_ROW_FLAG('1', "one-off", AT(one_off), "with -s: only one"),
    OPT_ROW_TEXT('c', "client", "HOST", AT(host), "test with the server at HOST"),
    OPT_ROW_FLAG('u', "udp", AT(udp), "datagrams"),
    OPT_ROW_NUMBER('p', "port", "PORT", AT(port), UNITS_COUNT, ND_IPERF3_PORT, 0, UINT16_MAX,
                   "of the server; 0 = any free one, with -s"),
    OPT_ROW_NUMBER('t', "time", "TIME", AT(time_ns), UNITS_NS, 0, 0,
                   ND_IPERF3_SECONDS_MAX *NS_PER_S, "whole seconds; 0 = 10s, or any with -n, -k"),
    OPT_ROW_NUMBER('n', "bytes", "BYTES", AT(bytes), UNITS_BYTES, 0, 0, INT64_MAX,
                   "of all streams, UDP in whole datagrams; 0 = any"),
    OPT_ROW_NUMBER('k', "blockcount", "BLOCKS", AT(blocks), UNITS_BYTES, 0, 0, INT64_MAX,
                   "writes or datagrams of all streams; 0 = any"),
    OPT_ROW_NUMBER('l', "length", "BYTES", AT(len), UNITS_BYTES, 0, 0, BLOCK_BYTES,
                   "of a write or datagram; 0 = 128K, UDP the MSS"),
    OPT_ROW_TEXT('b', "bitrate", "RATE[/BURST]", AT(rate),
                 "of a stream; 0 = as it goes [UDP 1048576, TCP 0]"),
    OPT_ROW_NUMBER('P', "parallel", "N", AT(parallel), UNITS_COUNT, 1, 1, IPERF3_ROWS_PARALLEL,
                   "streams in each direction"),
    OPT_ROW_NUMBER('i', "interval", "TIME", AT(interval_ns), UNITS_NS, NS_PER_S, 0, 3600 * NS_PER_S,
                   "a line every so often; 0 = none"),
    OPT_ROW_FLAG('R', "reverse", AT(reverse), "the server sends"),
    OPT_ROW_FLAG(0, "bidir", AT(bidir), "both send"),
    OPT_ROW_NUMBER('O', "omit", "TIME", AT(omit_ns), UNITS_NS, 0, 0, OMIT_S *NS_PER_S,
                   "seconds at the beginning that do not count"),
    OPT_ROW_FLAG(0, "get-server-output", AT(server_output), "print what the server printed, too"),
    OPT_ROW_FLAG(0, "udp-counters-64bit", AT(counters_64bit), "for more than 2^32 datagrams"),
    OPT_ROW_TEXT('f', "format", "LETTER", AT(format),
                 "b k m g: bit/s, B K M G: byte/s, a: what fits [a]"),
    OPT_ROW_FLAG('J', NULL, AT(iperf3_json), "print what iperf3 -J prints, instead of lines"),
    OPT_ROW_TEXT(0, "json", "FILE", AT(json), "write the result document, - = stdout"),
    OPT_ROW_FLAG(0, "forceflush", AT(force_flush), "accepted: lines are never held back"),
    OPT_ROW_REFUSED('w', "window", "not supported; the system chooses the buffers"),
    OPT_ROW_REFUSED('C', "congestion", "not supported; set it in the system"),
    OPT_ROW_REFUSED('Z', "zerocopy", "not supported"),
    OPT_ROW_REFUSED(0, "sctp", "not supported, only TCP and UDP"),
    OPT_ROW_REFUSED('D', "daemon", "not supported; start it from a service manager"),
    OPT_ROW_REFUSED(0, "json-stream", "not supported; use -J or --json FILE"),
    OPT_ROW_END,
};

/* What the server says of the test, as it comes. */
struct heard {
    char *text;
    size_t length;
};

struct iperf3 {
    const struct options *options;
    struct role role;
    struct nd_iperf3_server server;
    struct nd_iperf3_client client;
    struct nd_iperf3_stream streams[IPERF3_ROWS_STREAMS];
    uint8_t datagram[DATAGRAM_BYTES];
    struct nd_iperf3_test *test; /* of the one or the other */
    struct nd_iperf3_params params;
    bool full_rate;
    struct iperf3_lines lines;
    struct iperf3_rows rows;
    struct iperf3_json json;
    json_t *intervals; /* of the test in progress */
    struct heard heard;
    uint32_t done;   /* tests that are over */
    uint32_t greets; /* number of the latest test whose caller was told */
    bool waits;      /* the server has said that it listens */
};

/* ---- the command line ---------------------------------------------------------------- */

/* "10M", "10M/8": a rate and how many datagrams leave together. */
static int read_rate(struct iperf3 *iperf3) {
    const char *text = iperf3->options->rate;
    const char *slash = text != NULL ? strchr(text, '/') : NULL;
    char rate[UNITS_TEXT_BYTES];
    size_t length = slash != NULL ? (size_t)(slash - text) : text != NULL ? strlen(text) : 0;
    uint64_t burst = 1;

    if (text == NULL) {
        return SAY_DONE;
    }
    snprintf(rate, sizeof rate, "%.*s", (int)length, text);
    if (length >= sizeof rate ||
        units_parse(UNITS_BIT_S, rate, &iperf3->params.rate_bit_s) != UNITS_OK ||
        (slash != NULL &&
         (units_parse(UNITS_COUNT, slash + 1, &burst) != UNITS_OK || burst == 0 || burst > 1000))) {
        return say_usage("iperf3", "-b %s: expected RATE or RATE/BURST, RATE %s, BURST 1 to 1000",
                         text, units_forms(UNITS_BIT_S));
    }
    iperf3->params.burst = (uint32_t)burst;
    iperf3->full_rate = iperf3->params.rate_bit_s == 0;
    return SAY_DONE;
}

static int refuse_server(const struct options *options) {
    if (options->host != NULL) {
        return say_usage("iperf3", "expected one of -s, -c HOST");
    }
    if (options->udp || options->reverse || options->bidir || options->time_ns > 0 ||
        options->bytes > 0 || options->blocks > 0 || options->len > 0 || options->rate != NULL ||
        options->omit_ns > 0 || options->parallel > 1 || options->server_output) {
        return say_usage("iperf3", "with -s only -1, -p, -i, -f, -J and --json: the client says "
                                   "what is to be done");
    }
    return SAY_DONE;
}

static int refuse_udp(const struct options *options) {
    if (options->udp && options->len > 0 && (options->len < 16 || options->len > DATAGRAM_BYTES)) {
        return say_usage("iperf3", "-l %" PRIu64 " is out of range, expected 16 to %u with -u",
                         options->len, DATAGRAM_BYTES);
    }
    return SAY_DONE;
}

static int refuse_client(const struct options *options) {
    if (options->host == NULL) {
        return say_usage("iperf3", "expected -s or -c HOST");
    }
    if (options->one_off) {
        return say_usage("iperf3", "-1 is for -s");
    }
    if (options->port == 0) {
        return say_usage("iperf3", "-p 0 is out of range, expected 1 to 65535 with -c");
    }
    if (options->reverse && options->bidir) {
        return say_usage("iperf3", "expected one of -R, --bidir");
    }
    if ((options->bytes > 0) + (options->blocks > 0) + (options->time_ns > 0) > 1) {
        return say_usage("iperf3", "expected one of -t, -n, -k");
    }
    if (options->time_ns % NS_PER_S != 0 || options->omit_ns % NS_PER_S != 0) {
        return say_usage("iperf3", "-t and -O: expected whole seconds, as the protocol has them");
    }
    return refuse_udp(options);
}

static int check(struct iperf3 *iperf3) {
    const struct options *options = iperf3->options;

    if (!iperf_text_format(options->format, &iperf3->lines.format)) {
        return say_usage("iperf3", "-f %s: expected one of: b, k, m, g, B, K, M, G, a",
                         options->format);
    }
    if (options->iperf3_json && options->json != NULL && strcmp(options->json, "-") == 0) {
        return say_usage("iperf3", "expected one of -J, --json -: both are stdout");
    }
    int code = options->server ? refuse_server(options) : refuse_client(options);
    return code == SAY_DONE ? read_rate(iperf3) : code;
}

/* ---- lines ----------------------------------------------------------------------------- */

static const char rule[] = "-----------------------------------------------------------";

static void tell_listening(struct iperf3 *iperf3) {
    if (iperf3->role.text) {
        printf("%s\nServer listening on %u (test #%" PRIu32 ")\n%s\n", rule,
               iperf3->server.service.at.port, iperf3->done + 1, rule);
        fflush(stdout);
    }
    iperf3->waits = true;
}

static void tell_caller(struct iperf3 *iperf3) {
    struct nd_conn_info info;
    char peer[IPERF_TEXT_BYTES];

    if (iperf3->test->session.number == 0 || iperf3->test->session.number == iperf3->greets) {
        return;
    }
    iperf3->greets = iperf3->test->session.number;
    iperf3->waits = false;
    if (iperf3->role.text) {
        iperf3->role.agent.cfg.port->info(iperf3->test->session.conn, &info);
        printf("Accepted connection from %s\n", iperf_text_end(&info.peer, peer));
        fflush(stdout);
    }
}

static void tell_connecting(const struct iperf3 *iperf3, const struct nd_addr *to) {
    if (!iperf3->role.text) {
        return;
    }
    printf("Connecting to host %s, port %u\n", iperf3->options->host, to->port);
    if (iperf3->options->reverse) {
        printf("Reverse mode, remote host %s is sending\n", iperf3->options->host);
    }
    fflush(stdout);
}

/* ---- reports --------------------------------------------------------------------------- */

/* Why there is no result, where iperf3 -J has it. */
static void keep_error(struct iperf3 *iperf3) {
    json_t *error = json_object_get(iperf3->role.result.result, "error");

    if (error != NULL) {
        iperf3_json_text(&iperf3->json, "error", json_string_value(error));
    }
}

static void judge(struct iperf3 *iperf3, const struct nd_report *report) {
    uint64_t bytes = report->flow.rx.bytes + report->flow.tx.bytes;
    struct iperf3_count sum;

    role_judge(&iperf3->role, "", report);
    if (report->result != ND_OK) {
        return;
    }
    if (iperf3_rows_sum(&iperf3->rows, true, false, &sum) && sum.bytes == 0) {
        bytes = report->flow.rx.bytes; /* that ours left is not that it arrived */
    }
    if (bytes == 0) {
        role_fail(&iperf3->role, "no byte arrived");
    }
}

static void finish(struct iperf3 *iperf3, const struct nd_report *report) {
    json_t *step = role_step(&iperf3->role, report);

    json_object_set_new(step, "streams", iperf3_json_streams(&iperf3->rows));
    if (iperf3->intervals != NULL) {
        json_object_set_new(step, "intervals", iperf3->intervals);
        iperf3->intervals = NULL;
    }
    json_array_append_new(iperf3->role.result.steps, step);
    judge(iperf3, report);
    iperf3->done++;
}

static void take_report(void *ctx, const struct nd_report *report) {
    struct iperf3 *iperf3 = ctx;
    bool ours = report->session == iperf3->test->session.number;

    if (!ours) { /* a caller that the server turned away */
        role_judge(&iperf3->role, "", report);
        return;
    }
    if (report->interval) {
        iperf3_rows_interval(&iperf3->rows);
    } else {
        iperf3_rows_total(&iperf3->rows);
    }
    if (iperf3->role.text && iperf3->test->started) {
        iperf3_lines_tell(&iperf3->lines, &iperf3->rows, report);
    }
    iperf3_json_report(&iperf3->json, &iperf3->rows, report);
    if (!report->interval) {
        finish(iperf3, report);
        return;
    }
    if (iperf3->intervals == NULL) {
        iperf3->intervals = json_array();
    }
    json_array_append_new(iperf3->intervals,
                          role_interval(&iperf3->role, report, iperf3->test->begin));
}

/* ---- what the server printed ----------------------------------------------------------- */

static void hear(void *ctx, const char *text, uint32_t len) {
    struct heard *heard = &((struct iperf3 *)ctx)->heard;
    char *grown;

    if (heard->length + len > RESULTS_BYTES) {
        return;
    }
    grown = realloc(heard->text, heard->length + len + 1);
    if (grown == NULL) {
        return;
    }
    memcpy(grown + heard->length, text, len);
    heard->text = grown;
    heard->length += len;
}

/* Some releases write -1 as 18446744073709551615, which no integer holds: reals do. */
static void tell_server_output(struct iperf3 *iperf3) {
    json_t *results = json_loadb(iperf3->heard.text != NULL ? iperf3->heard.text : "",
                                 iperf3->heard.length, JSON_DECODE_INT_AS_REAL, NULL);
    json_t *output = json_object_get(results, "server_output_text");

    if (json_is_string(output)) {
        if (iperf3->role.text) {
            printf("\nServer output:\n%s\n", json_string_value(output));
            fflush(stdout);
        }
        iperf3_json_text(&iperf3->json, "server_output_text", json_string_value(output));
        json_object_set(iperf3->role.result.result, "server_output_text", output);
    } else if (iperf3->options->server_output && !iperf3->role.failed && signals_caught() == 0) {
        role_warn(&iperf3->role, "the server has not told what it printed");
    }
    json_decref(results);
    free(iperf3->heard.text);
}

/* ---- running ------------------------------------------------------------------------- */

static struct nd_iperf3_memory memory_of(struct iperf3 *iperf3) {
    return (struct nd_iperf3_memory){.streams = iperf3->streams,
                                     .stream_count = IPERF3_ROWS_STREAMS,
                                     .datagram = iperf3->datagram,
                                     .datagram_bytes = DATAGRAM_BYTES};
}

static bool is_client_over(void *ctx) {
    struct iperf3 *iperf3 = ctx;

    if (iperf3->role.text) {
        iperf3_lines_begin(&iperf3->lines);
    }
    return iperf3->test->session.number == 0;
}

static bool is_server_over(void *ctx) {
    struct iperf3 *iperf3 = ctx;

    tell_caller(iperf3);
    if (iperf3->role.text) {
        iperf3_lines_begin(&iperf3->lines);
    }
    if (iperf3->options->one_off && iperf3->done > 0) {
        return true;
    }
    if (!iperf3->waits && iperf3->test->session.number == 0) {
        tell_listening(iperf3);
    }
    return false;
}

static struct nd_iperf3_client_cfg client_cfg(struct iperf3 *iperf3, const struct nd_addr *to) {
    const struct options *options = iperf3->options;
    struct nd_iperf3_client_cfg cfg = {
        .to = *to,
        .params = iperf3->params,
        .full_rate = iperf3->full_rate,
        .interval_ms = (uint32_t)(options->interval_ns / NS_PER_MS),
        .heard = options->server_output ? hear : NULL,
        .heard_ctx = iperf3,
    };

    cfg.params.bytes = options->bytes;
    cfg.params.blocks = options->blocks;
    cfg.params.time_s = (uint32_t)(options->time_ns / NS_PER_S);
    cfg.params.omit_s = (uint32_t)(options->omit_ns / NS_PER_S);
    cfg.params.parallel = (uint32_t)options->parallel;
    cfg.params.length = (uint32_t)options->len;
    cfg.params.udp = options->udp;
    cfg.params.reverse = options->reverse;
    cfg.params.bidir = options->bidir;
    cfg.params.counters_64bit = options->counters_64bit;
    cfg.params.server_output = options->server_output;
    return cfg;
}

static void run_client(struct iperf3 *iperf3) {
    const struct options *options = iperf3->options;
    struct nd_addr to = {.port = (uint16_t)options->port};

    if (!role_find(&iperf3->role, options->host, &to)) {
        return;
    }
    const struct nd_iperf3_memory memory = memory_of(iperf3);
    const struct nd_iperf3_client_cfg cfg = client_cfg(iperf3, &to);
    tell_connecting(iperf3, &to);
    if (options->udp && !options->reverse && options->len > 0) {
        uint64_t bit_s = iperf3->full_rate           ? 0
                         : cfg.params.rate_bit_s > 0 ? cfg.params.rate_bit_s
                                                     : ND_IPERF3_UDP_BIT_S;
        role_check_datagrams(&iperf3->role, &to, options->len, bit_s * options->parallel);
    }
    int result = nd_iperf3_connect(&iperf3->client, &iperf3->role.agent, &memory, &cfg);
    if (result != ND_OK) {
        role_fail(&iperf3->role, "cannot connect to %s: %s", options->host, nd_error_name(result));
        return;
    }
    role_run(&iperf3->role, is_client_over, iperf3);
    nd_agent_stop_tests(&iperf3->role.agent); /* of an interrupted one */
    nd_agent_poll(&iperf3->role.agent);
    tell_server_output(iperf3);
    if (iperf3->role.text && !iperf3->role.failed && signals_caught() == 0) {
        printf("\niperf Done.\n");
    }
}

static void run_server(struct iperf3 *iperf3) {
    const struct nd_addr at = {.port = (uint16_t)iperf3->options->port};
    const struct nd_iperf3_memory memory = memory_of(iperf3);
    const struct nd_iperf3_limits limits = {
        .interval_ms = (uint32_t)(iperf3->options->interval_ns / NS_PER_MS)};
    int result = nd_iperf3_serve(&iperf3->server, &iperf3->role.agent, &at, &memory, &limits);

    if (result != ND_OK) {
        role_fail(&iperf3->role, "cannot listen at port %u: %s", at.port, nd_error_name(result));
        return;
    }
    tell_listening(iperf3);
    role_run(&iperf3->role, is_server_over, iperf3);
    nd_iperf3_server_close(&iperf3->server);
    if (!iperf3->options->one_off) {
        iperf3->role.failed = false; /* what a test came to was told; serving did not fail */
    }
}

static int run(const void *ctx, const struct opt_list *operands) {
    static struct iperf3 iperf3; /* large, and there is one */
    const struct options *options = ctx;

    (void)operands;
    iperf3.options = options;
    int code = check(&iperf3);
    if (code != SAY_DONE) {
        return code;
    }
    if (!role_open(&iperf3.role, "iperf3", options->server ? "any" : options->host, options->json,
                   CONNS, take_report, &iperf3)) {
        return SAY_FAILED;
    }
    iperf3.role.text &= !options->iperf3_json;
    iperf3.test = options->server ? &iperf3.server.test : &iperf3.client.test;
    iperf3.lines.agent = iperf3.json.agent = &iperf3.role.agent;
    iperf3.lines.test = iperf3.json.test = iperf3.rows.test = iperf3.test;
    if (options->iperf3_json) {
        iperf3_json_begin(&iperf3.json, options->host, (uint16_t)options->port);
    }
    if (options->server) {
        run_server(&iperf3);
    } else {
        run_client(&iperf3);
    }
    keep_error(&iperf3);
    if (iperf3_json_end(&iperf3.json) != 0) {
        iperf3.role.failed = true;
    }
    return role_close(&iperf3.role);
}

const struct command cmd_iperf3 = {
    .name = "iperf3",
    .summary = "iperf 3 over TCP and UDP, client or server",
    .operands = "",
    .operands_min = 0,
    .operands_max = 0,
    .options = rows,
    .options_size = sizeof(struct options),
    .notes = "Server: netdyno iperf3 -s\n"
             "Client: netdyno iperf3 -c HOST [-u -b 10M] [-t 10 | -n 1M] [-R | --bidir]\n\n"
             "The lines are iperf3's, with decimal prefixes: 1 MByte = 1 000 000 byte, without\n"
             "the columns of which this end knows nothing. Exit code 1: refused, busy, broken\n"
             "off, or no byte arrived.",
    .run = run,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_memtest.c - the PC's side of the three-phase memory test. */
#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "host.h"
#include "measure.h"
#include "nd/fmt.h"
#include "nd/memtest.h"
#include "result.h"
#include "say.h"
#include "signals.h"

struct options {
    uint64_t port;
    uint64_t bytes;
    uint64_t idle_ns;
    bool origin_line;
    const char *json;
};

#define AT(member) offsetof(struct options, member)

#define NS_PER_S UINT64_C(1000000000)

/* What a phase takes at least to have a rate [ns]: within less, all of it may lie in a buffer. */
#define LEAST_NS 1000000u

static const struct opt rows[] = {
    OPT_ROW_NUMBER('p', "port", "PORT", AT(port), UNITS_COUNT, ND_MEMTEST_PORT, 1, 65535,
                   "port of the device"),
    OPT_ROW_NUMBER('n', "bytes", "BYTES", AT(bytes), UNITS_BYTES, ND_MEMTEST_BYTES, 1,
                   UINT64_C(1) << 40, "per phase, as the device serves it"),
    OPT_ROW_NUMBER(0, "idle", "TIME", AT(idle_ns), UNITS_NS, 30 * NS_PER_S, NS_PER_S / 10,
                   86400 * NS_PER_S, "give up after so long in silence"),
    OPT_ROW_FLAG(0, "origin-line", AT(origin_line),
                 "end with the original test's line (its Mbit is 2^20)"),
    OPT_ROW_TEXT(0, "json", "FILE", AT(json), "write the result document, - = stdout"),
    OPT_ROW_END,
};

/* What the run leaves behind. */
struct memtest {
    const struct options *options;
    struct nd_agent agent;
    struct result result;
    uint64_t begin; /* of the first phase [ticks] */
    uint64_t end;   /* of the last [ticks] */
    uint64_t bytes; /* both ways, all phases */
    bool failed;
    bool text;
};

/* Past the last report, the connection still has to end in order. */
static bool is_over(void *ctx) {
    return ((const struct nd_memtest_client *)ctx)->run.session.number == 0;
}

static bool is_upward(const struct nd_report *report) {
    return report->phase[0] == 'r';
}

/* What a phase moved. In the first the device is the receiver, and says that it has every byte by
 * beginning the second: the time counts until then. */
static struct measure_span span_of(const struct memtest *test, const struct nd_report *report) {
    struct measure_span span;

    if (!is_upward(report)) {
        return measure_span_of(&test->agent, &report->flow.rx);
    }
    span = measure_span_of(&test->agent, &report->flow.tx);
    span.first_bytes = 0;
    span.last_ns = nd_agent_ns(&test->agent, report->end);
    return span;
}

/* The rate of a phase, unless it was so short that the time of our own reading and writing decides.
 */
static int64_t rate_bit_s(const struct measure_span *span) {
    return span->last_ns - span->first_ns < LEAST_NS ? (int64_t)ND_NO_SAMPLES
                                                     : measure_goodput_bit_s(span);
}

static void tell_phase(const struct memtest *test, const struct nd_report *report) {
    struct measure_span span = span_of(test, report);
    int64_t goodput_bit_s = rate_bit_s(&span);

    printf("%-5s %10" PRIu64 " byte", report->phase, span.bytes);
    if (report->result != ND_OK) {
        printf(" of %" PRIu64 ": %s", report->expected_bytes, nd_error_name(report->result));
    } else if (goodput_bit_s < 0) {
        printf("  %s", nd_absent_name(goodput_bit_s));
    } else {
        printf(" %10.3f Mbit/s", (double)goodput_bit_s / 1e6);
    }
    printf("\n");
    fflush(stdout);
}

static void file_phase(struct memtest *test, const struct nd_report *report) {
    struct measure_span span = span_of(test, report);
    json_t *step = json_object();
    char name[32];

    snprintf(name, sizeof name, "memtest-%s", report->phase);
    result_text(step, "step", name);
    result_text(step, "status", report->result == ND_OK ? "ok" : "failed");
    if (report->result != ND_OK) {
        result_text(step, "reason", nd_error_name(report->result));
    }
    result_value(step, "expected_bytes", (int64_t)report->expected_bytes);
    result_value(step, is_upward(report) ? "tx_bytes" : "rx_bytes", (int64_t)span.bytes);
    result_value(step, "elapsed_ns", (int64_t)(span.last_ns - span.first_ns));
    result_value(step, "goodput_bit_s", rate_bit_s(&span));
    json_array_append_new(test->result.steps, step);
}

static void take_report(void *ctx, const struct nd_report *report) {
    struct memtest *test = ctx;

    if (test->bytes == 0) {
        test->begin = report->begin;
    }
    test->end = report->end;
    test->bytes += report->flow.rx.bytes + report->flow.tx.bytes;
    if (test->text) {
        tell_phase(test, report);
    }
    file_phase(test, report);
    if (report->result != ND_OK) {
        test->failed = true;
        uint64_t bytes = span_of(test, report).bytes;
        say_error("memtest %s: %s after %" PRIu64 " of %" PRIu64 " byte%s", report->phase,
                  nd_error_name(report->result), bytes, report->expected_bytes,
                  report->result == ND_E_TIMEOUT && bytes > 0
                      ? "; does the device serve as many --bytes?"
                      : "");
    }
}

/* Bytes over the whole time, in Mbit of 2^20 bit; whole seconds as the origin printed them. */
static void tell_origin(const struct memtest *test) {
    uint64_t ns = nd_agent_ns(&test->agent, test->end - test->begin);

    printf("TX+RX Throughput: %" PRIu64 " bytes in %" PRIu64 " seconds (%.3f) Mbits/s\n",
           test->bytes, (ns + 500000000u) / 1000000000u,
           ns > 0 ? (double)test->bytes * 8e9 / (double)ns / 1048576.0 : 0.0);
}

static int run_test(struct memtest *test, struct host *host, const struct nd_addr *to) {
    struct nd_memtest_client client = {0};
    struct nd_report_sink sink = {.put = take_report, .ctx = test};
    const struct nd_agent_cfg cfg = {
        .port = host->port,
        .port_ctx = host->port_ctx,
        .clock = host->clock,
        .idle_limit_ms = (uint32_t)(test->options->idle_ns / 1000000u),
    };
    int result = nd_agent_init(&test->agent, &cfg);

    if (result == ND_OK) {
        nd_agent_add_sink(&test->agent, &sink);
        result = nd_memtest_connect(&client, &test->agent, to, test->options->bytes);
    }
    if (result != ND_OK) {
        say_error("memtest: cannot start: %s", nd_error_name(result));
        return SAY_FAILED;
    }
    host_run(host, &test->agent, is_over, &client);
    nd_agent_close(&test->agent);
    return test->failed ? SAY_FAILED : SAY_DONE;
}

static int write_document(struct memtest *test) {
    result_finish(&test->result);
    return result_write(test->result.root, test->options->json) == 0 ? SAY_DONE : SAY_FAILED;
}

static int run(const void *ctx, const struct opt_list *operands) {
    struct memtest test = {.options = ctx};
    struct nd_addr to = {.port = (uint16_t)test.options->port};
    struct host host;
    char error[256];
    int code;

    switch (host_resolve(operands->items[0], &to, error, sizeof error)) {
    case ND_OK:
        break;
    case ND_E_ARG:
        return say_usage("memtest", "%s", error);
    default:
        say_error("memtest: %s", error);
        return SAY_FAILED;
    }
    if (host_open(&host, 2) != 0) {
        return SAY_FAILED;
    }
    test.text = test.options->json == NULL || test.options->json[0] != '-';
    result_begin(&test.result, operands->items[0], "memtest");
    code = run_test(&test, &host, &to);
    if (code == SAY_DONE && test.options->origin_line && test.text) {
        tell_origin(&test);
    }
    if (test.options->json != NULL && write_document(&test) != SAY_DONE) {
        code = SAY_FAILED;
    }
    result_end(&test.result);
    host_close(&host);
    return signals_exit(code);
}

const struct command cmd_memtest = {
    .name = "memtest",
    .summary = "The PC's side of the three-phase memory test",
    .operands = "HOST",
    .operands_min = 1,
    .operands_max = 1,
    .options = rows,
    .options_size = sizeof(struct options),
    .notes = "Over one TCP connection the device receives (rx), sends (tx) and echoes BYTES in\n"
             "messages of 1024 byte. Rates are decimal Mbit/s of payload, first to last byte.",
    .run = run,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_chargen.c - characters of a service that makes them. */
#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "iperf_text.h"
#include "nd/chargen.h"
#include "role.h"
#include "role_step.h"
#include "say.h"

#define NS_PER_S UINT64_C(1000000000)

struct options {
    bool udp;
    uint64_t port;
    uint64_t len;
    uint64_t count;
    uint64_t time_ns;
    const char *json;
};

#define AT(member) offsetof(struct options, member)

static const struct opt rows[] = {
    OPT_ROW_FLAG('u', "udp", AT(udp), "datagrams: one is asked for after the other"),
    OPT_ROW_NUMBER('p', "port", "PORT", AT(port), UNITS_COUNT, ND_CHARGEN_PORT, 1, UINT16_MAX,
                   "of the chargen service"),
    OPT_ROW_NUMBER('n', "count", "N", AT(count), UNITS_BYTES, 0, 0, INT64_MAX,
                   "bytes, UDP answers, to receive; 0 = any"),
    OPT_ROW_NUMBER('l', "len", "BYTES", AT(len), UNITS_BYTES, ND_CHARGEN_REQUEST_BYTES, 1,
                   ND_CHARGEN_REQUEST_MAX, "of a request, UDP"),
    OPT_ROW_NUMBER('t', "time", "TIME", AT(time_ns), UNITS_NS, 0, 0, 86400 * NS_PER_S,
                   "receive for so long; 0 = 10s, or no end with -n"),
    OPT_ROW_TEXT(0, "json", "FILE", AT(json), "write the result document, - = stdout"),
    OPT_ROW_END,
};

struct chargen {
    const struct options *options;
    struct role role;
    struct nd_chargen_client client;
};

static bool is_over(void *ctx) {
    return ((const struct chargen *)ctx)->client.session.number == 0;
}

static void tell(const struct chargen *chargen, const struct nd_report *report) {
    uint64_t ns = nd_agent_ns(&chargen->role.agent, report->end - report->begin);
    char rate[IPERF_TEXT_BYTES], loss[IPERF_TEXT_BYTES];

    printf("received %" PRIu64 " byte in %.6f s = %s", report->flow.rx.bytes, (double)ns / 1e9,
           iperf_text_rate(0, report->flow.rx.bytes, ns, rate));
    if (report->datagrams != NULL) {
        printf("; answers %" PRIu64 ", lost %s", report->datagrams->datagrams,
               iperf_text_loss(report->datagrams->lost, report->datagrams->expected, loss));
    }
    printf("\n");
    fflush(stdout);
}

static void take_report(void *ctx, const struct nd_report *report) {
    struct chargen *chargen = ctx;

    json_array_append_new(chargen->role.result.steps, role_step(&chargen->role, report));
    if (chargen->role.text && report->flow.rx.bytes > 0) {
        tell(chargen, report);
    }
    role_judge(&chargen->role, "", report);
    if (report->result == ND_OK && report->flow.rx.bytes == 0) {
        role_fail(&chargen->role, "no byte arrived");
    }
}

static void run_client(struct chargen *chargen, const char *host) {
    const struct options *options = chargen->options;
    struct nd_chargen_client_cfg cfg = {
        .to = {.port = (uint16_t)options->port},
        .udp = options->udp,
        .count = options->count,
        .duration_ns = options->time_ns,
        .request_bytes = (uint32_t)options->len,
    };

    if (!role_find(&chargen->role, host, &cfg.to)) {
        return;
    }
    if (chargen->role.text) {
        printf("chargen %s port %u: %s\n", host, cfg.to.port, options->udp ? "UDP" : "TCP");
        fflush(stdout);
    }
    nd_agent_poll(&chargen->role.agent);
    int result = nd_chargen_connect(&chargen->client, &chargen->role.agent, &cfg);
    if (result != ND_OK) {
        role_fail(&chargen->role, "cannot connect to %s: %s", host, nd_error_name(result));
        return;
    }
    role_run(&chargen->role, is_over, chargen);
    nd_agent_stop_tests(&chargen->role.agent); /* of an interrupted one */
    nd_agent_poll(&chargen->role.agent);
}

static int run(const void *ctx, const struct opt_list *operands) {
    static struct chargen chargen;
    const struct options *options = ctx;

    chargen.options = options;
    if (!role_open(&chargen.role, "chargen", operands->items[0], options->json, 2, take_report,
                   &chargen)) {
        return SAY_FAILED;
    }
    run_client(&chargen, operands->items[0]);
    return role_close(&chargen.role);
}

const struct command cmd_chargen = {
    .name = "chargen",
    .summary = "Characters from a chargen service, over TCP or UDP",
    .operands = "HOST",
    .operands_min = 1,
    .operands_max = 1,
    .options = rows,
    .options_size = sizeof(struct options),
    .notes = "RFC 864. TCP has no other end than that we hang up. UDP: a request that is not\n"
             "answered within 0.5 s is lost and the next one leaves. An answer of netdyno's\n"
             "agent is never longer than its request, nor than 512 byte.",
    .run = run,
};

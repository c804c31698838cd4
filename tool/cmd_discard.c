/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_discard.c - bytes to a service that throws them away. */
#include <inttypes.h>
#include <stdio.h>

#include "commands.h"
#include "iperf_text.h"
#include "nd/discard.h"
#include "nd/ttcp.h"
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
    OPT_ROW_FLAG('u', "udp", AT(udp), "datagrams"),
    OPT_ROW_NUMBER('p', "port", "PORT", AT(port), UNITS_COUNT, ND_DISCARD_PORT, 1, UINT16_MAX,
                   "of the discard service"),
    OPT_ROW_NUMBER('l', "len", "BYTES", AT(len), UNITS_BYTES, ND_TTCP_BUFLEN, 1, 1u << 30,
                   "of a write or datagram; UDP 5 to 1520"),
    OPT_ROW_NUMBER('n', "count", "N", AT(count), UNITS_COUNT, 0, 0, UINT32_MAX,
                   "writes or datagrams; 0 = any"),
    OPT_ROW_NUMBER('t', "time", "TIME", AT(time_ns), UNITS_NS, 0, 0, 86400 * NS_PER_S,
                   "send for so long; 0 = 10s, or any time with -n"),
    OPT_ROW_TEXT(0, "json", "FILE", AT(json), "write the result document, - = stdout"),
    OPT_ROW_END,
};

struct discard {
    const struct options *options;
    struct role role;
    struct nd_ttcp engine; /* its transmitter: bytes, and nothing around them */
};

static bool is_over(void *ctx) {
    return ((const struct discard *)ctx)->engine.session.number == 0;
}

static void tell(const struct discard *discard, const struct nd_report *report) {
    uint64_t ns = nd_agent_ns(&discard->role.agent, report->end - report->begin);
    char rate[IPERF_TEXT_BYTES];

    printf("sent %" PRIu64 " byte", report->flow.tx.bytes);
    if (discard->options->udp) {
        printf(" in %" PRIu64 " datagrams", report->tx_datagrams);
    }
    printf(" in %.6f s = %s", (double)ns / 1e9,
           iperf_text_rate(0, report->flow.tx.bytes, ns, rate));
    if (discard->options->udp) {
        printf("; what arrived is not known");
    } else if (report->tail_ticks >= 0) {
        printf(", all acknowledged");
    }
    printf("\n");
    fflush(stdout);
}

static void take_report(void *ctx, const struct nd_report *report) {
    struct discard *discard = ctx;
    json_t *step = role_step(&discard->role, report);

    result_text(step, "step", "discard-tx");
    json_array_append_new(discard->role.result.steps, step);
    if (discard->role.text && report->flow.tx.bytes > 0) {
        tell(discard, report);
    }
    role_judge(&discard->role, "", report);
}

static void run_client(struct discard *discard, const char *host) {
    const struct options *options = discard->options;
    struct nd_ttcp_cfg cfg = {
        .transmit = true,
        .udp = options->udp,
        .borrow = true,
        .addr = {.port = (uint16_t)options->port},
        .nbuf = options->count,
        .buflen = (uint32_t)options->len,
        .duration_ns =
            options->time_ns == 0 && options->count == 0 ? 10 * NS_PER_S : options->time_ns,
    };

    if (!role_find(&discard->role, host, &cfg.addr)) {
        return;
    }
    if (discard->role.text) {
        printf("discard %s port %u: %s of %" PRIu64 " byte\n", host, cfg.addr.port,
               options->udp ? "datagrams" : "writes", options->len);
        fflush(stdout);
    }
    if (options->udp) {
        role_check_datagrams(&discard->role, &cfg.addr, options->len, 0);
    }
    int result = nd_ttcp_start(&discard->engine, &discard->role.agent, &cfg);
    if (result != ND_OK) {
        role_fail(&discard->role, "cannot connect to %s: %s", host, nd_error_name(result));
        return;
    }
    role_run(&discard->role, is_over, discard);
    nd_agent_stop_tests(&discard->role.agent); /* of an interrupted one */
    nd_agent_poll(&discard->role.agent);
}

static int run(const void *ctx, const struct opt_list *operands) {
    static struct discard discard;
    const struct options *options = ctx;

    if (options->udp &&
        (options->len < ND_TTCP_DATAGRAM_MIN || options->len > ND_TTCP_DATAGRAM_MAX)) {
        return say_usage("discard", "--len %" PRIu64 " is out of range, expected %u to %u with -u",
                         options->len, ND_TTCP_DATAGRAM_MIN, ND_TTCP_DATAGRAM_MAX);
    }
    discard.options = options;
    if (!role_open(&discard.role, "discard", operands->items[0], options->json, 2, take_report,
                   &discard)) {
        return SAY_FAILED;
    }
    run_client(&discard, operands->items[0]);
    return role_close(&discard.role);
}

const struct command cmd_discard = {
    .name = "discard",
    .summary = "Bytes to a discard service, over TCP or UDP",
    .operands = "HOST",
    .operands_min = 1,
    .operands_max = 1,
    .options = rows,
    .options_size = sizeof(struct options),
    .notes = "RFC 863. TCP: the time is that from connection until all is acknowledged. UDP:\n"
             "as fast as the stack takes them; six datagrams of 4 byte, ttcp's marks, go with\n"
             "them and are not counted.",
    .run = run,
};

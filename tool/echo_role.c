/* SPDX-License-Identifier: BSD-3-Clause */
#include "echo_role.h"

#include <inttypes.h>
#include <stdio.h>

#include "iperf_text.h"
#include "nd/hist.h"
#include "role.h"
#include "role_step.h"
#include "say.h"

/* Percentiles read high by at most 2^-7: 0.8 %. */
#define LATENCY_BITS 7

/* Connections at once: one, and those that the stack is still ending. */
#define CONNS 16

#define NS_PER_MS UINT64_C(1000000)

struct echo_role {
    const struct echo_role_options *options;
    struct role role;
    struct nd_rr rr;
    struct nd_hist latency;
    uint32_t buckets[ND_HIST_BUCKETS(LATENCY_BITS)];
};

static bool is_over(void *ctx) {
    return ((const struct echo_role *)ctx)->rr.session.number == 0;
}

static const char *kind_of(const struct echo_role_options *options) {
    if (options->udp) {
        return "UDP";
    }
    return options->connect ? "a TCP connection each" : "TCP";
}

static void tell_start(const struct echo_role *echo, const char *host, uint16_t port) {
    if (echo->role.text) {
        printf("%s %s port %u: messages of %" PRIu64 " byte, %s\n", echo->role.name, host, port,
               echo->options->bytes, kind_of(echo->options));
        fflush(stdout);
    }
}

static void tell_latency(const struct nd_hist *hist) {
    static const struct {
        const char *name;
        unsigned permille;
    } percentiles[] = {{"p50", 500}, {"p90", 900}, {"p99", 990}, {"p99.9", 999}};

    printf("round trip [us]: min %.3f, mean %.3f", (double)hist->min / 1e3,
           (double)hist->sum / (double)hist->count / 1e3);
    for (unsigned i = 0; i < sizeof percentiles / sizeof *percentiles; i++) {
        printf(", %s %.3f", percentiles[i].name,
               (double)nd_hist_percentile(hist, percentiles[i].permille) / 1e3);
    }
    printf(", max %.3f\n", (double)hist->max / 1e3);
}

static void tell_datagrams(const struct nd_sequence *datagrams) {
    char loss[IPERF_TEXT_BYTES];

    printf("lost %s", iperf_text_loss(datagrams->lost, datagrams->expected, loss));
    if (datagrams->late > 0) {
        printf(", late %" PRIu64, datagrams->late);
    }
    printf("\n");
}

static void tell_end(const struct echo_role *echo, const struct nd_report *report) {
    uint64_t ns = nd_agent_ns(&echo->role.agent, report->end - report->begin);

    printf("%" PRIu64 " %s in %.6f s", report->round_trips,
           echo->options->connect ? "connections with a round trip" : "round trips",
           (double)ns / 1e9);
    if (ns > 0 && report->round_trips > 0) {
        printf(" = %.1f /s", (double)report->round_trips * 1e9 / (double)ns);
    }
    printf("; sent %" PRIu64 " byte, received %" PRIu64 "\n", report->flow.tx.bytes,
           report->flow.rx.bytes);
    if (report->datagrams != NULL) {
        tell_datagrams(report->datagrams);
    }
    if (report->latency->count > 0) {
        tell_latency(report->latency);
    }
    fflush(stdout);
}

static void take_report(void *ctx, const struct nd_report *report) {
    struct echo_role *echo = ctx;
    json_t *step = role_step(&echo->role, report);
    uint64_t ns = nd_agent_ns(&echo->role.agent, report->end - report->begin);

    result_ratio(step, "round_trips_s", report->round_trips * 1000000000u, ns);
    json_array_append_new(echo->role.result.steps, step);
    if (echo->role.text && report->flow.tx.bytes > 0) {
        tell_end(echo, report);
    }
    role_judge(&echo->role, "", report);
}

static void run(struct echo_role *echo, const char *host) {
    const struct echo_role_options *options = echo->options;
    struct nd_rr_cfg cfg = {
        .to = {.port = (uint16_t)options->port},
        .udp = options->udp,
        .connect = options->connect,
        .bytes = (uint32_t)options->bytes,
        .count = options->count,
        .duration_ns = options->time_ns,
        .period_ns = options->period_ns,
        .timeout_ms = (uint32_t)(options->timeout_ns / NS_PER_MS),
        .latency = &echo->latency,
    };

    nd_hist_init(&echo->latency, echo->buckets, LATENCY_BITS);
    if (!role_find(&echo->role, host, &cfg.to)) {
        return;
    }
    tell_start(echo, host, cfg.to.port);
    if (options->udp) {
        role_check_datagrams(&echo->role, &cfg.to, options->bytes, 0);
    }
    nd_agent_poll(&echo->role.agent);
    int result = nd_rr_start(&echo->rr, &echo->role.agent, &cfg);
    if (result != ND_OK) {
        role_fail(&echo->role, "cannot connect to %s: %s", host, nd_error_name(result));
        return;
    }
    role_run(&echo->role, is_over, echo);
    nd_agent_stop_tests(&echo->role.agent); /* of an interrupted one */
    nd_agent_poll(&echo->role.agent);
}

int echo_role_run(const char *name, const char *host, const struct echo_role_options *options) {
    static struct echo_role echo; /* large, and there is one */

    if (options->udp && options->connect) {
        return say_usage(name, "expected one of -u, --connect");
    }
    if (options->udp && options->bytes < ND_RR_BYTES_MIN) {
        return say_usage(name, "--bytes %" PRIu64 " is out of range, expected %u to %u with -u",
                         options->bytes, ND_RR_BYTES_MIN, ND_RR_BYTES_MAX);
    }
    echo.options = options;
    if (!role_open(&echo.role, name, host, options->json, CONNS, take_report, &echo)) {
        return SAY_FAILED;
    }
    run(&echo, host);
    return role_close(&echo.role);
}

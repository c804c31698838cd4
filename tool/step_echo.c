/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/echo.h"
#include "nd/hist.h"
#include "steps.h"

/* A round trip on a slow link takes no longer than this, on average [ns]. */
#define MESSAGE_LIMIT_NS 100000000u
#define SLACK_NS         10000000000u

/* Percentiles read high by at most 2^-7: 0.8 %. */
#define LATENCY_BITS 7

static const uint32_t message_bytes[] = {1, 64, 1024};

#define SIZES (sizeof message_bytes / sizeof *message_bytes)

static bool is_over(struct rig *rig, void *ctx) {
    (void)ctx;
    return rig->report_count > 0;
}

static int judge(struct rig *rig, json_t *step, uint32_t bytes, const struct nd_hist *hist) {
    const struct rig_report *ours = rig_find_report(rig, NULL);
    struct measure_span theirs;
    json_t *report;

    if (ours->result != ND_OK) {
        rig_fail_step(step, "%s after %llu messages", nd_error_name(ours->result),
                      (unsigned long long)hist->count);
        return ours->result;
    }
    report = rig_device_report(rig, "echo", "server", "");
    measure_add_latency(step, hist);
    measure_add_goodput(step, &rig->device, &ours->rx, bytes);
    if (measure_span_read(report, "rx", &theirs)) {
        measure_add_busy(step, &rig->device, &theirs);
    } else {
        result_absent(step, "busy_pct", "no_report");
    }
    json_decref(report);
    rig_pass_step(step);
    return ND_OK;
}

static int run(struct rig *rig, json_t *step, uint32_t bytes, struct nd_hist *hist) {
    struct nd_echo_client client = {0};
    struct nd_echo_client_cfg cfg = {
        .bytes = bytes,
        .messages = (uint32_t)rig->settings.messages,
        .latency = hist,
    };
    int result = rig_find_service(rig, "echo", &cfg.to);

    if (result != ND_OK) {
        return result;
    }
    result = nd_echo_connect(&client, &rig->agent, &cfg);
    if (result != ND_OK) {
        return target_fail(&rig->target, result, "cannot connect: %s", nd_error_name(result));
    }
    result = rig_wait(rig, is_over, NULL,
                      cfg.messages * (MESSAGE_LIMIT_NS + 4 * rig->settings.delay_ns) + SLACK_NS);
    if (result != ND_OK) {
        rig_stop_tests(rig);
        return result;
    }
    return judge(rig, step, bytes, hist);
}

static int step_one(struct rig *rig, const char *name, uint32_t bytes) {
    uint32_t buckets[ND_HIST_BUCKETS(LATENCY_BITS)];
    struct nd_hist hist;
    json_t *step = rig_begin_step(rig, name);
    int result;

    nd_hist_init(&hist, buckets, LATENCY_BITS);
    result_value(step, "message_bytes", bytes);
    rig_clear_reports(rig);
    result = run(rig, step, bytes, &hist);
    if (result != ND_OK && json_object_get(step, "reason") == NULL) {
        rig_fail_step(step, "%s", rig->target.error);
    }
    return result;
}

int step_echo(struct rig *rig, const char *const *names) {
    int first = ND_OK;

    for (unsigned i = 0; i < SIZES; i++) {
        int result = step_one(rig, names[i], message_bytes[i]);
        first = first != ND_OK ? first : result;
    }
    return first;
}

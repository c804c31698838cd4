/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "nd/ttcp.h"
#include "sink.h"
#include "steps.h"

/* Room for connecting, and for the last bytes after the duration [ns]. */
#define SLACK_NS 30000000000u

static bool has_report(struct rig *rig, void *ctx) {
    (void)ctx;
    return rig->report_count > 0;
}

static int fail(struct rig *rig, json_t *step, int result) {
    rig_fail_step(step, "%s", rig->target.error);
    return result;
}

/* ---- the device receives ------------------------------------------------------------- */

static int send_to_device(struct rig *rig, struct nd_ttcp *ttcp) {
    struct nd_ttcp_cfg cfg = {
        .transmit = true,
        .borrow = true,
        .buflen = (uint32_t)rig->settings.buflen_bytes,
        .duration_ns = rig->settings.duration_ns,
    };
    int result = rig_find_service(rig, "discard", &cfg.addr);

    if (result != ND_OK) {
        return result;
    }
    result = nd_ttcp_start(ttcp, &rig->agent, &cfg);
    if (result != ND_OK) {
        return target_fail(&rig->target, result, "cannot connect: %s", nd_error_name(result));
    }
    result = rig_wait(rig, has_report, NULL, cfg.duration_ns + SLACK_NS);
    if (result != ND_OK) {
        rig_stop_tests(rig);
    }
    return result;
}

static int judge_rx(struct rig *rig, json_t *step, const struct rig_report *ours,
                    const json_t *theirs) {
    struct measure_span received;

    if (ours->result != ND_OK) {
        rig_fail_step(step, "%s after %llu byte", nd_error_name(ours->result),
                      (unsigned long long)ours->tx.bytes);
        return ours->result;
    }
    if (theirs == NULL || !rig_report_ok(theirs) || !measure_span_read(theirs, "rx", &received)) {
        rig_fail_step(step, "the device reports: %s",
                      theirs != NULL ? rig_report_result(theirs) : "nothing");
        return ND_E_PROTOCOL;
    }
    if (received.bytes != ours->tx.bytes) {
        rig_fail_step(step, "the device received %llu byte of %llu",
                      (unsigned long long)received.bytes, (unsigned long long)ours->tx.bytes);
        return ND_E_SHORT;
    }
    struct measure_span rate = measure_rate_span(step, &received, &ours->tx);
    measure_add_goodput(step, &rig->device, &rate, 0);
    measure_add_busy(step, &rig->device, &received);
    result_value(step, "tail_ns", ours->tail_ns);
    rig_pass_step(step);
    return ND_OK;
}

int step_tcp_rx(struct rig *rig, const char *const *names) {
    json_t *step = rig_begin_step(rig, names[0]);
    struct nd_ttcp ttcp = {0};
    int result = send_to_device(rig, &ttcp);
    json_t *theirs;

    if (result != ND_OK) {
        return fail(rig, step, result);
    }
    theirs = rig_device_report(rig, "discard", "server", "");
    result = judge_rx(rig, step, rig_find_report(rig, NULL), theirs);
    json_decref(theirs);
    return result;
}

/* ---- the device sends ---------------------------------------------------------------- */

static int step_tcp_tx(struct rig *rig, const char *name, bool borrow) {
    json_t *step = rig_begin_step(rig, name);
    struct sink_outcome outcome;
    char command[64];
    int result;

    snprintf(command, sizeof command, "ttcp -t -l %llu -T %llu%s",
             (unsigned long long)rig->settings.buflen_bytes,
             (unsigned long long)(rig->settings.duration_ns / 1000000u), borrow ? " -z" : "");
    result = sink_receive_tcp(rig, "ttcp", command, &outcome);
    if (result == ND_OK) {
        struct measure_span rate = measure_rate_span(step, &outcome.ours->rx, &outcome.sent);
        measure_add_goodput(step, &rig->device, &rate, 0);
        measure_add_busy(step, &rig->device, &outcome.sent);
        result_take(step, "tail_ns", json_object_get(outcome.theirs, "tail_ns"));
        rig_pass_step(step);
    } else {
        fail(rig, step, result);
    }
    json_decref(outcome.theirs);
    return result;
}

int step_tcp_tx_copy(struct rig *rig, const char *const *names) {
    return step_tcp_tx(rig, names[0], false);
}

int step_tcp_tx_borrow(struct rig *rig, const char *const *names) {
    return step_tcp_tx(rig, names[0], true);
}

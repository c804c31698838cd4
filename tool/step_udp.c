/* SPDX-License-Identifier: BSD-3-Clause */
/* step_udp.c - datagrams that a device sends as fast as it can: through its stack, and around it.
 */
#include <stdio.h>

#include "sink.h"
#include "steps.h"

/* Enter what was sent and what came. */
static void describe(struct rig *rig, json_t *step, const struct measure_span *received,
                     const struct sink_outcome *outcome) {
    uint64_t bytes = rig->settings.datagram_bytes;
    uint64_t sent = outcome->sent.bytes / bytes;

    result_value(step, "datagram_bytes", (int64_t)bytes);
    result_value(step, "tx_datagrams", (int64_t)sent);
    result_value(step, "lost_datagrams", (int64_t)(sent - received->bytes / bytes));
    measure_add_udp_goodput(step, &rig->device, received, bytes, rig->target.peer.family);
    measure_add_busy(step, &rig->device, &outcome->sent);
    rig_pass_step(step);
}

static int fail(struct rig *rig, json_t *step, int result) {
    rig_fail_step(step, "%s", rig->target.error);
    return result;
}

static int send_by_ttcp(struct rig *rig, uint64_t datagrams, struct sink_outcome *outcome) {
    char command[64];

    snprintf(command, sizeof command, "ttcp -t -u -l %llu -n %llu",
             (unsigned long long)rig->settings.datagram_bytes, (unsigned long long)datagrams);
    rig_clear_reports(rig);
    return sink_receive_udp(rig, "ttcp", command, outcome);
}

/* Let the device learn our address (RFC 826): while it asks, its stack drops what it cannot queue.
 */
static int warm_up(struct rig *rig) {
    struct sink_outcome outcome;
    int result = send_by_ttcp(rig, 1, &outcome);

    json_decref(outcome.theirs);
    return result;
}

int step_udp_tx(struct rig *rig, const char *const *names) {
    json_t *step = rig_begin_step(rig, names[0]);
    struct sink_outcome outcome = {.ours = NULL};
    int result = warm_up(rig);

    if (result == ND_OK) {
        result = send_by_ttcp(rig, rig->settings.datagrams, &outcome);
    }
    if (result == ND_OK) {
        describe(rig, step, &outcome.ours->rx, &outcome);
    } else {
        fail(rig, step, result);
    }
    json_decref(outcome.theirs);
    return result;
}

int step_bypass_tx(struct rig *rig, const char *const *names) {
    json_t *step = rig_begin_step(rig, names[0]);
    struct sink_outcome outcome;
    struct measure_span received;
    char command[64];
    int result;

    snprintf(command, sizeof command, "bypass -l %llu -n %llu",
             (unsigned long long)rig->settings.datagram_bytes,
             (unsigned long long)rig->settings.datagrams);
    result = sink_count_udp(rig, "bypass", command, &outcome, &received);
    if (result == ND_OK) {
        describe(rig, step, &received, &outcome);
    } else {
        fail(rig, step, result);
    }
    json_decref(outcome.theirs);
    return result;
}

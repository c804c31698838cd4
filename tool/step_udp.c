/* SPDX-License-Identifier: BSD-3-Clause */
/* step_udp.c - datagrams as fast as they go: to a device; from it, through its stack and around it.
 */
#include <stdio.h>

#include "nd/fmt.h"
#include "nd/ttcp.h"
#include "sink.h"
#include "steps.h"

/* Room for a test of any size, beyond what its datagrams need [ns]. */
#define SLACK_NS UINT64_C(30000000000)

/* Enter what was sent and what came; device: which of both is the device's. */
static void describe(struct rig *rig, json_t *step, const struct measure_span *sent_span,
                     const struct measure_span *received, const struct measure_span *device) {
    uint64_t bytes = rig->settings.datagram_bytes;
    uint64_t sent = sent_span->bytes / bytes;

    result_value(step, "datagram_bytes", (int64_t)bytes);
    result_value(step, "tx_datagrams", (int64_t)sent);
    result_value(step, "lost_datagrams", (int64_t)(sent - received->bytes / bytes));
    measure_add_udp_goodput(step, &rig->device, received, bytes, rig->target.peer.family);
    measure_add_busy(step, &rig->device, device);
    rig_pass_step(step);
}

static int fail(struct rig *rig, json_t *step, int result) {
    rig_fail_step(step, "%s", rig->target.error);
    return result;
}

/* ---- the device sends ---------------------------------------------------------------- */

static int send_by_ttcp(struct rig *rig, uint64_t datagrams, struct sink_outcome *outcome) {
    char command[64];

    snprintf(command, sizeof command, "ttcp -t -u -l %llu -n %llu",
             (unsigned long long)rig->settings.datagram_bytes, (unsigned long long)datagrams);
    rig_clear_reports(rig);
    return sink_receive_udp(rig, "ttcp", command, outcome);
}

int step_udp_meet(struct rig *rig) {
    struct sink_outcome outcome;
    int result;

    if (rig->met) {
        return ND_OK;
    }
    result = send_by_ttcp(rig, 1, &outcome);
    rig->met = result == ND_OK;
    json_decref(outcome.theirs);
    return result;
}

int step_udp_tx(struct rig *rig, const char *const *names) {
    json_t *step = rig_begin_step(rig, names[0]);
    struct sink_outcome outcome = {.ours = NULL};
    int result = step_udp_meet(rig);

    if (result == ND_OK) {
        result = send_by_ttcp(rig, rig->settings.datagrams, &outcome);
    }
    if (result == ND_OK) {
        describe(rig, step, &outcome.sent, &outcome.ours->rx, &outcome.sent);
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
        describe(rig, step, &outcome.sent, &received, &outcome.sent);
    } else {
        fail(rig, step, result);
    }
    json_decref(outcome.theirs);
    return result;
}

/* ---- the device receives ------------------------------------------------------------- */

/* From one datagram to the next on a wire that is never idle; where its rate is not known, the
 * stack at this end decides. */
static uint64_t gap_ns(const struct rig *rig) {
    uint64_t bytes = rig->settings.datagram_bytes;
    uint64_t link_bit_s = rig->device.link_bit_s;

    if (link_bit_s == 0) {
        return 0;
    }
    return nd_fmt_muldiv(bytes * 8, 1000000000u,
                         measure_udp_wire_bit_s(link_bit_s, bytes, rig->target.device.family));
}

/* Let the device listen; where. */
static int listen_there(struct rig *rig, struct nd_addr *at) {
    json_t *items;
    int result = rig_command(rig, &items, "ttcp -r -u");

    if (result != ND_OK) {
        return result;
    }
    *at = rig->target.device;
    at->port = (uint16_t)json_integer_value(json_object_get(json_array_get(items, 0), "port"));
    json_decref(items);
    if (at->port == 0) {
        return target_fail(&rig->target, ND_E_PROTOCOL, "the device does not say where it listens");
    }
    return ND_OK;
}

static bool has_report(struct rig *rig, void *ctx) {
    (void)ctx;
    return rig->report_count > 0;
}

static int send_to_device(struct rig *rig, struct nd_ttcp *ttcp) {
    struct nd_ttcp_cfg cfg = {
        .transmit = true,
        .udp = true,
        .nbuf = rig->settings.datagrams,
        .buflen = (uint32_t)rig->settings.datagram_bytes,
        .gap_ns = gap_ns(rig),
    };
    int result = listen_there(rig, &cfg.addr);

    if (result != ND_OK) {
        return result;
    }
    result = nd_ttcp_start(ttcp, &rig->agent, &cfg);
    if (result != ND_OK) {
        return target_fail(&rig->target, result, "cannot send: %s", nd_error_name(result));
    }
    return rig_wait(rig, has_report, NULL, cfg.nbuf * cfg.gap_ns + SLACK_NS);
}

/* The device has reported its end; it listens to late marks for a while. */
static int judge_rx(struct rig *rig, json_t *step) {
    const struct rig_report *ours = rig_find_report(rig, NULL);
    json_t *theirs = rig_device_report(rig, "ttcp", "server", "rx");
    struct measure_span received;
    bool is_good =
        theirs != NULL && rig_report_ok(theirs) && measure_span_read(theirs, "rx", &received);

    if (ours->result != ND_OK) {
        rig_fail_step(step, "%s after %llu byte", nd_error_name(ours->result),
                      (unsigned long long)ours->tx.bytes);
    } else if (!is_good || received.bytes > ours->tx.bytes) {
        rig_fail_step(step, "the device reports: %s",
                      theirs != NULL ? rig_report_result(theirs) : "nothing");
    } else {
        describe(rig, step, &ours->tx, &received, &received);
    }
    json_decref(theirs);
    return ours->result != ND_OK ? ours->result : is_good ? ND_OK : ND_E_PROTOCOL;
}

int step_udp_rx(struct rig *rig, const char *const *names) {
    json_t *step = rig_begin_step(rig, names[0]);
    struct nd_ttcp ttcp = {0};
    int result = step_udp_meet(rig);

    rig_clear_reports(rig);
    if (result == ND_OK) {
        result = send_to_device(rig, &ttcp);
    }
    if (result != ND_OK) {
        rig_stop_tests(rig);
        return fail(rig, step, result);
    }
    return judge_rx(rig, step);
}

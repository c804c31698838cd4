/* SPDX-License-Identifier: BSD-3-Clause */
#include "load.h"

#include <string.h>

#include "say.h"
#include "sim.h"
#include "steps.h"

/* Longer than a device sleeps [ns]. */
#define RECORD_LIMIT_NS UINT64_C(3000000000)

static const struct load loads[] = {
    {"tcp-rx", {"tcp-rx"}, NULL, step_tcp_rx, NULL},
    {"tcp-tx", {"tcp-tx-copy"}, NULL, step_tcp_tx_copy, "tcp-tx-borrow"},
    {"tcp-tx-borrow", {"tcp-tx-borrow"}, NULL, step_tcp_tx_borrow, NULL},
    {"udp-rx", {"udp-rx"}, step_udp_meet, step_udp_rx, NULL},
    {"udp-tx", {"udp-tx"}, step_udp_meet, step_udp_tx, NULL},
    {"bypass", {"bypass-tx"}, NULL, step_bypass_tx, NULL},
    {"stream", {"stream-free"}, NULL, step_stream_free, NULL},
};

const struct load *load_find(const char *name, const char *command) {
    if (name == NULL) {
        return &loads[0];
    }
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        if (strcmp(loads[i].name, name) == 0) {
            return &loads[i];
        }
    }
    say_usage(command, "--load %s: expected one of: " LOAD_NAMES, name);
    return NULL;
}

int load_await(struct rig *rig, bool (*done)(struct rig *rig, void *ctx)) {
    return rig_wait(rig, done, NULL, RECORD_LIMIT_NS);
}

static bool has_turned(struct rig *rig, void *ctx) {
    (void)ctx;
    return nd_sim_profile(target_simulation(&rig->target)) != NULL;
}

/* End a period of the counting. */
static int turn(struct rig *rig) {
    int result;

    nd_sim_turn_profile(target_simulation(&rig->target));
    result = load_await(rig, has_turned);
    if (result != ND_OK) {
        say_error("%s", rig->target.error);
    }
    return result;
}

static bool all_ok(const struct result *result) {
    size_t index;
    json_t *step;

    json_array_foreach(result->steps, index, step) {
        if (strcmp(json_string_value(json_object_get(step, "status")), "ok") != 0) {
            say_error("%s: %s", json_string_value(json_object_get(step, "step")),
                      json_string_value(json_object_get(step, "reason")));
            return false;
        }
    }
    return true;
}

int load_prepare(const struct load *load, struct rig *rig) {
    if (load->prepare != NULL && load->prepare(rig) != ND_OK) {
        say_error("%s", rig->target.error);
        return SAY_FAILED;
    }
    return SAY_DONE;
}

int load_run(const struct load *load, struct rig *rig) {
    if (turn(rig) != ND_OK) {
        return SAY_FAILED;
    }
    rig_clear_reports(rig);
    load->run(rig, load->step);
    return all_ok(rig->result) && turn(rig) == ND_OK ? SAY_DONE : SAY_FAILED;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "plan.h"

#include <string.h>

#include "bus.h"
#include "say.h"
#include "signals.h"
#include "steps.h"

static const struct plan_step default_steps[] = {
    {step_identity, {"identity"}},
    {step_memory_idle, {"memory-idle"}},
    {step_memtest, {"memtest-rx", "memtest-tx", "memtest-echo"}},
    {step_tcp_rx, {"tcp-rx"}},
    {step_tcp_tx_copy, {"tcp-tx-copy"}},
    {step_tcp_tx_borrow, {"tcp-tx-borrow"}},
    {step_echo, {"echo-1", "echo-64", "echo-1024"}},
    {step_memory_end, {"memory-end"}},
};

static const struct plan_step memory_steps[] = {
    {step_identity, {"identity"}},
    {step_memory_idle, {"memory-idle"}},
    {step_memtest, {"memtest-rx", "memtest-tx", "memtest-echo"}},
    {step_memory_end, {"memory-end"}},
};

static const struct plan_step tcp_steps[] = {
    {step_identity, {"identity"}},
    {step_tcp_rx, {"tcp-rx"}},
    {step_tcp_tx_copy, {"tcp-tx-copy"}},
    {step_tcp_tx_borrow, {"tcp-tx-borrow"}},
};

static const struct plan_step echo_steps[] = {
    {step_identity, {"identity"}},
    {step_echo, {"echo-1", "echo-64", "echo-1024"}},
};

static const struct plan_step stream_steps[] = {
    {step_identity, {"identity"}},
    {step_stream, {"stream-free", "stream-kept"}},
};

static const struct plan_step udp_steps[] = {
    {step_identity, {"identity"}},
    {step_udp_tx, {"udp-tx"}},
};

static const struct plan_step bypass_steps[] = {
    {step_identity, {"identity"}},
    {step_udp_tx, {"udp-tx"}},
    {step_bypass_tx, {"bypass-tx"}},
};

#define STEPS(list) list, sizeof list / sizeof *list

static const struct plan plans[] = {
    {PLAN_DEFAULT, STEPS(default_steps)},
    {"memory", STEPS(memory_steps)},
    {"tcp", STEPS(tcp_steps)},
    {"echo", STEPS(echo_steps)},
    {"udp", STEPS(udp_steps)},
    {"bypass", STEPS(bypass_steps)},
    {"stream", STEPS(stream_steps)},
};

const struct plan *plan_find(const char *name) {
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        if (strcmp(plans[i].name, name) == 0) {
            return &plans[i];
        }
    }
    return NULL;
}

const char *plan_names(void) {
    return "default, memory, tcp, echo, udp, bypass, stream";
}

static void skip(const struct plan_step *step, struct rig *rig, const char *reason) {
    for (unsigned i = 0; step->names[i] != NULL; i++) {
        rig_skip_step(rig, step->names[i], reason);
    }
}

void plan_run(const struct plan *plan, struct rig *rig) {
    struct bus bus = {.known = false};

    for (unsigned i = 0; i < plan->count; i++) {
        const struct plan_step *step = &plan->steps[i];

        if (signals_caught() != 0) {
            skip(step, rig, "interrupted");
        } else if (rig->lost != NULL) {
            skip(step, rig, rig->lost);
        } else {
            say_progress("%u/%u %s", i + 1, plan->count, step->names[0]);
            rig_clear_reports(rig);
            bus_begin(&bus, rig);
            step->run(rig, step->names);
            bus_end(&bus, rig);
        }
    }
    say_progress("%s", "");
}

void plan_fail(const struct plan *plan, struct rig *rig, const char *reason) {
    for (unsigned i = 0; i < plan->count; i++) {
        skip(&plan->steps[i], rig, reason);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "nd/memtest.h"
#include "steps.h"

/* Room for a test of any size, beyond what its bytes and messages need [ns]. */
#define SLACK_NS UINT64_C(120000000000)

/* Bits on the wire for a byte of payload, over all three phases, frames and answers included. */
#define BITS_PER_BYTE 64u

static const char *const phases[] = {"rx", "tx", "echo"};

#define PHASES (sizeof phases / sizeof *phases)

/* Past the last report, the connection still has to end in order. */
static bool is_over(struct rig *rig, void *ctx) {
    (void)rig;
    return ((const struct nd_memtest_client *)ctx)->run.session.number == 0;
}

/* The device's figures of one phase; its report may be missing. */
static void add_device(struct rig *rig, json_t *step, const char *phase, const json_t *report) {
    const json_t *heap = json_object_get(report, "heap_free");
    struct measure_span span;

    if (measure_span_read(report, strcmp(phase, "tx") == 0 ? "tx" : "rx", &span)) {
        measure_add_busy(step, &rig->device, &span);
    } else {
        result_absent(step, "busy_pct", "no_report");
    }
    if (heap != NULL) {
        json_t *object = json_object();
        result_take_item(object, heap);
        json_object_set_new(step, "heap_free", object);
    } else {
        result_absent(step, "heap_free", report != NULL ? "not_hooked" : "no_report");
    }
}

/* What the rate is made of. The receiver is the device in its receive phase, we are in the others.
 */
static bool find_received(json_t *step, const char *phase, const struct rig_report *ours,
                          const json_t *theirs, struct measure_span *received) {
    struct measure_span other;

    if (strcmp(phase, "rx") == 0) {
        if (!measure_span_read(theirs, "rx", &other)) {
            return false;
        }
        *received = measure_rate_span(step, &other, &ours->tx);
    } else if (strcmp(phase, "tx") == 0 && measure_span_read(theirs, "tx", &other)) {
        *received = measure_rate_span(step, &ours->rx, &other);
    } else {
        *received = ours->rx;
    }
    return true;
}

static int judge_phase(struct rig *rig, json_t *step, const struct rig_report *ours,
                       unsigned index) {
    const char *phase = phases[index];
    struct measure_span received;
    json_t *theirs;

    if (ours->result == ND_E_STOPPED) {
        rig_fail_step(step, "%s", rig->target.error);
        return ours->result;
    }
    if (ours->result != ND_OK) {
        rig_fail_step(step, "%s after %llu of %llu byte", nd_error_name(ours->result),
                      (unsigned long long)(index == 0 ? ours->tx.bytes : ours->rx.bytes),
                      (unsigned long long)ours->expected_bytes);
        return ours->result;
    }
    theirs = rig_device_report(rig, "memtest", "server", phase);
    if (theirs != NULL && !rig_report_ok(theirs)) {
        rig_fail_step(step, "the device reports: %s", rig_report_result(theirs));
    } else if (!find_received(step, phase, ours, theirs, &received)) {
        rig_fail_step(step, "the device did not report what it received");
    } else {
        /* What netdyno sends in the first phase fills its segments; the device writes, and echoes,
         * one message at a time. */
        measure_add_goodput(step, &rig->device, &received,
                            index == 0 ? 0 : ND_MEMTEST_MESSAGE_BYTES);
        add_device(rig, step, phase, theirs);
        json_decref(theirs);
        rig_pass_step(step);
        return ND_OK;
    }
    json_decref(theirs);
    return ND_E_PROTOCOL;
}

/* Nothing in the test itself says how many bytes a phase has: ask the device, or tell it. One
 * without the command is taken at the user's word. */
static int agree(struct rig *rig) {
    uint64_t wanted = rig->settings.memtest_bytes;
    json_t *items;
    int result = wanted > 0
                     ? rig_command(rig, &items, "memtest -n %llu", (unsigned long long)wanted)
                     : rig_command(rig, &items, "memtest");

    if (result == ND_E_PROTOCOL || result == ND_E_UNSUPPORTED) {
        rig->settings.memtest_bytes = wanted > 0 ? wanted : ND_MEMTEST_BYTES;
    } else if (result != ND_OK) {
        return result;
    } else {
        json_int_t bytes = json_integer_value(json_object_get(json_array_get(items, 0), "bytes"));

        json_decref(items);
        if (bytes <= 0 || (wanted > 0 && (uint64_t)bytes != wanted)) {
            return target_fail(&rig->target, ND_E_PROTOCOL,
                               "the device serves memtest with %lld byte per phase, not %llu",
                               (long long)bytes, (unsigned long long)wanted);
        }
        rig->settings.memtest_bytes = (uint64_t)bytes;
    }
    result_value(json_object_get(rig->result->result, "settings"), "memtest_bytes",
                 (int64_t)rig->settings.memtest_bytes);
    return ND_OK;
}

static int start(struct rig *rig, struct nd_memtest_client *client) {
    struct nd_addr to;
    int result = rig_find_service(rig, "memtest", &to);

    if (result == ND_OK) {
        result = agree(rig);
    }
    if (result != ND_OK) {
        return result;
    }
    result = nd_memtest_connect(client, &rig->agent, &to, rig->settings.memtest_bytes);
    if (result != ND_OK) {
        return target_fail(&rig->target, result, "cannot connect: %s", nd_error_name(result));
    }
    return ND_OK;
}

/* What the wire needs at most, and as much again. */
static uint64_t limit_ns(const struct rig *rig) {
    uint64_t messages = rig->settings.memtest_bytes / ND_MEMTEST_MESSAGE_BYTES + 1;
    uint64_t bits = rig->settings.memtest_bytes * BITS_PER_BYTE;
    uint64_t rate = rig->target.link_bit_s;

    return SLACK_NS + messages * 8 * rig->settings.delay_ns +
           (rate > 0 ? nd_clock_ns(bits, (uint32_t)(rate < UINT32_MAX ? rate : UINT32_MAX)) : 0);
}

int step_memtest(struct rig *rig, const char *const *names) {
    struct nd_memtest_client client = {0};
    int result = start(rig, &client);
    int first = ND_OK;

    if (result != ND_OK) {
        rig_fail_step(rig_begin_step(rig, names[0]), "%s", rig->target.error);
        for (unsigned i = 1; i < PHASES; i++) {
            rig_skip_step(rig, names[i], rig->target.error);
        }
        return result;
    }
    first = rig_wait(rig, is_over, &client, limit_ns(rig));
    if (first != ND_OK) {
        rig_stop_tests(rig);
    }
    for (unsigned i = 0; i < PHASES; i++) {
        const struct rig_report *ours = rig_find_report(rig, phases[i]);

        if (ours == NULL) {
            rig_skip_step(rig, names[i],
                          rig->lost != NULL ? rig->lost : "a phase before it failed");
            continue;
        }
        result = judge_phase(rig, rig_begin_step(rig, names[i]), ours, i);
        first = first != ND_OK ? first : result;
    }
    return first;
}

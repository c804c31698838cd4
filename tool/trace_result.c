/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace_result.h"

#include <stdlib.h>

#include "pulses.h"
#include "result.h"

/* ---- pulses ---- */

static void add_time(json_t *object, const char *key, uint64_t time,
                     const struct pulses_unit *unit) {
    if (unit->den == 1) {
        result_value(object, key, (int64_t)(time * unit->num));
    } else {
        result_ratio(object, key, time * unit->num, unit->den);
    }
}

static json_t *describe_pulses(const struct pulses *pulses, uint64_t length,
                               const struct pulses_unit *unit) {
    json_t *object = json_object();

    result_value(object, "count", (int64_t)pulses->count);
    if (pulses->count > 0) {
        add_time(object, "min_ns", pulses->min, unit);
        add_time(object, "max_ns", pulses->max, unit);
        result_ratio(object, "average_ns", pulses->total * unit->num, pulses->count * unit->den);
    } else {
        result_absent(object, "min_ns", "no_samples");
        result_absent(object, "max_ns", "no_samples");
        result_absent(object, "average_ns", "no_samples");
    }
    add_time(object, "total_ns", pulses->total, unit);
    add_time(object, "high_ns", pulses->high, unit);
    result_ratio(object, "high_pct", pulses->high * 100, length);
    return object;
}

/* ---- whole traces ---- */

static void count_change(void *ctx, uint64_t at_ns, uint32_t signal, bool high) {
    struct pulses *pulses = ctx;

    pulses_change(&pulses[signal], at_ns, high ? PULSES_HIGH : PULSES_LOW);
}

static void add_signal(json_t *signals, const char *name, json_t *object) {
    result_text(object, "signal", name);
    json_array_append_new(signals, object);
}

json_t *trace_describe(const struct timeline *timeline, const struct waves *waves) {
    static const struct pulses_unit ns = {1, 1};
    struct pulses *pulses = calloc(timeline->signal_count, sizeof *pulses);
    json_t *object = json_object();
    json_t *signals = json_array();

    if (pulses == NULL || waves_walk(waves, count_change, pulses) != 0) {
        free(pulses);
        return NULL;
    }
    result_value(object, "length_ns", (int64_t)timeline->length_ns);
    for (size_t i = 0; i < timeline->signal_count; i++) {
        char name[TIMELINE_NAME_BYTES];

        pulses_end(&pulses[i], timeline->length_ns);
        add_signal(signals, timeline_name(&timeline->signals[i], name),
                   describe_pulses(&pulses[i], timeline->length_ns, &ns));
    }
    json_object_set_new(object, "signals", signals);
    free(pulses);
    return object;
}

json_t *trace_describe_vcd(const struct vcd *vcd) {
    const uint64_t length = vcd->end - vcd->begin;
    json_t *object = json_object();
    json_t *signals = json_array();

    if (vcd->unit.den == 1) {
        result_value(object, "length_ns", (int64_t)(length * vcd->unit.num));
    } else {
        result_ratio(object, "length_ns", length * vcd->unit.num, vcd->unit.den);
    }
    for (size_t i = 0; i < vcd->var_count; i++) {
        const struct vcd_var *var = &vcd->vars[i];

        add_signal(signals, var->name,
                   describe_pulses(&vcd->nets[var->net].pulses, length, &vcd->unit));
    }
    json_object_set_new(object, "signals", signals);
    return object;
}

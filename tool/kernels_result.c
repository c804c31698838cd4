/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels_result.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "result.h"

/* A copy that takes so much of one byte at a time, or more, is one [share]. */
static const double byte_loop_share = 0.7;

static bool is_text(const json_t *object, const char *key, const char *text) {
    const char *value = json_string_value(json_object_get(object, key));

    return value != NULL && strcmp(value, text) == 0;
}

static const char *name_of(const json_t *routine) {
    return json_string_value(json_object_get(routine, "name"));
}

/* ---- figures ---- */

static const char *unit_key(const char *tick) {
    if (strcmp(tick, "cycle") == 0) {
        return "cycles_per_byte";
    }
    return strcmp(tick, "time") == 0 ? "ns_per_byte" : "instructions_per_byte";
}

const char *kernels_unit_key(const json_t *object) {
    return unit_key(json_string_value(json_object_get(object, "tick")));
}

const char *kernels_unit_word(const json_t *object) {
    if (is_text(object, "tick", "cycle")) {
        return "cycles/byte";
    }
    return is_text(object, "tick", "time") ? "ns/byte" : "instructions/byte";
}

void kernels_add_case(const struct kernels *kernels, json_t *routine,
                      const struct nd_kernel_case *at, const struct kernels_time *time) {
    bool timed = strcmp(kernels->tick, "time") == 0;
    /* Of time, what is told is ns, whatever the clock's rate. */
    uint64_t numerator = timed ? time->ticks * 1000000000u : time->ticks;
    uint64_t denominator = time->calls * at->len * (timed ? kernels->hz : 1);
    json_t *object = json_object();

    result_value(object, "src_align", at->src_align);
    result_value(object, "dst_align", at->dst_align);
    result_value(object, "bytes", (int64_t)at->len);
    result_ratio(object, "call_ticks", time->ticks, time->calls);
    result_ratio(object, unit_key(kernels->tick), numerator, denominator);
    json_array_append_new(json_object_get(routine, "cases"), object);
}

double kernels_figure(const json_t *routine, const char *key, int bytes, bool worst) {
    double most = 0;
    size_t index;
    json_t *it;

    json_array_foreach(json_object_get(routine, "cases"), index, it) {
        double value = json_number_value(json_object_get(it, key)); /* 0 when it is absent */
        bool aligned = json_integer_value(json_object_get(it, "src_align")) == 0 &&
                       json_integer_value(json_object_get(it, "dst_align")) == 0;

        if (json_integer_value(json_object_get(it, "bytes")) == bytes && value > most &&
            (worst || aligned)) {
            most = value;
        }
    }
    return most > 0 ? most : -1;
}

/* Of a full segment. */
static double segment(const json_t *object, const json_t *routine, bool worst) {
    return kernels_figure(routine, kernels_unit_key(object), KERNELS_SEGMENT_BYTES, worst);
}

/* ---- verdicts ---- */

static void __attribute__((format(printf, 2, 3)))
add_verdict(json_t *object, const char *format, ...) {
    char text[256];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    json_array_append_new(json_object_get(object, "verdicts"), json_string(text));
}

/* A routine of this project of this name, or the fastest one; NULL when there is none. */
static const json_t *find(const json_t *object, const char *what, const char *name) {
    const json_t *best = NULL;
    size_t index;
    json_t *it;

    json_array_foreach(json_object_get(object, "routines"), index, it) {
        double value = segment(object, it, false);

        if (json_is_true(json_object_get(it, "ours")) && is_text(it, "what", what) && value > 0 &&
            (name != NULL ? is_text(it, "name", name)
                          : best == NULL || value < segment(object, best, false))) {
            best = it;
        }
    }
    return best;
}

static void judge_copy(json_t *object, const json_t *best, const json_t *other) {
    const json_t *bytewise = find(object, "copy", "ref");
    double aligned = segment(object, other, false);
    double times = aligned / segment(object, best, false);
    double worst = segment(object, other, true) / segment(object, best, true);

    if (bytewise != NULL && aligned >= byte_loop_share * segment(object, bytewise, false)) {
        add_verdict(object, "copy: memcpy of %s is a byte loop: %.2f times as long as %s.",
                    name_of(other), times, name_of(best));
        return;
    }
    add_verdict(object, "copy: memcpy of %s takes %.2f times as long as %s, %.2f times at worst.",
                name_of(other), times, name_of(best), worst);
}

static void judge_others(json_t *object) {
    size_t index;
    json_t *it;

    json_array_foreach(json_object_get(object, "routines"), index, it) {
        const char *what = json_string_value(json_object_get(it, "what"));
        const json_t *best = find(object, what, NULL);

        if (json_is_true(json_object_get(it, "ours")) || best == NULL ||
            segment(object, it, false) <= 0) {
            continue;
        }
        if (strcmp(what, "copy") == 0) {
            judge_copy(object, best, it);
        } else {
            add_verdict(object, "%s: %s takes %.2f times as long as %s.", what, name_of(it),
                        segment(object, it, false) / segment(object, best, false), name_of(best));
        }
    }
}

static void judge_one_pass(json_t *object) {
    const json_t *both = find(object, "copy-checksum", NULL);
    const json_t *copy = find(object, "copy", NULL);
    const json_t *sum = find(object, "checksum", NULL);

    if (both != NULL && copy != NULL && sum != NULL) {
        add_verdict(object, "copy-checksum: %s takes %.2f of copying and summing apart.",
                    name_of(both),
                    segment(object, both, false) /
                        (segment(object, copy, false) + segment(object, sum, false)));
    }
}

static void judge_fifos(json_t *object) {
    static const char *const fifos[] = {"fifo-write16", "fifo-write32", "fifo-read16",
                                        "fifo-read32"};

    for (size_t i = 0; i < sizeof fifos / sizeof *fifos; i++) {
        const json_t *rolled = find(object, fifos[i], "rolled");
        const json_t *unrolled = find(object, fifos[i], "unrolled");

        if (rolled != NULL && unrolled != NULL) {
            add_verdict(object, "%s: unrolled takes %.2f of rolled.", fifos[i],
                        segment(object, unrolled, false) / segment(object, rolled, false));
        }
    }
}

void kernels_judge(json_t *object) {
    json_object_set_new(object, "verdicts", json_array());
    judge_others(object);
    judge_one_pass(object);
    judge_fifos(object);
}

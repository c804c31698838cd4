/* SPDX-License-Identifier: BSD-3-Clause */
#include "experiment.h"

#include <stdio.h>
#include <string.h>

#include "nd/fmt.h"
#include "result.h"
#include "say.h"
#include "target.h"

/* The parts of sim:STACK@BOARD. */
struct place {
    char image[64];
    char board[64];
};

bool experiment_wanted(const struct experiment_options *options) {
    return options->without.count + options->with.count > 0;
}

/* ---- the two runs ---------------------------------------------------------------------- */

static int find_place(const struct experiment *experiment, struct place *place) {
    if (target_find(experiment->target) != &target_sim ||
        sscanf(experiment->target, "sim:%63[a-z0-9_-]@%63[a-z0-9_-]", place->image, place->board) !=
            2) {
        return say_usage(experiment->command, "--without, --with: expected sim:STACK@BOARD, got %s",
                         experiment->target);
    }
    return SAY_DONE;
}

/* variant: NULL = the image as it is. */
static int build(const struct experiment *experiment, const struct place *place,
                 const struct variant *variant, char path[PATH_MAX]) {
    struct image_build build = {
        .image = place->image,
        .board = place->board,
        .source = experiment->options->source,
        .cache = experiment->options->work,
    };
    char error[512];

    if (variant != NULL) {
        build.count = variant->option_count;
        memcpy(build.options, variant->options, sizeof build.options);
    }
    say_progress("building %s for %s", place->image, place->board);
    if (!image_build(&build, path, error, sizeof error)) {
        say_error("%s", error);
        return SAY_FAILED;
    }
    say_progress("%s", "");
    return SAY_DONE;
}

/* ---- figures --------------------------------------------------------------------------- */

/* What a profile says of the processor. */
struct cost {
    uint64_t cycles;
    uint64_t bytes;
    uint64_t hz;
};

static struct cost cost_of(const json_t *document) {
    const json_t *result = json_object_get(document, "result");
    const json_t *profile = json_object_get(result, "profile");
    const json_t *device = json_object_get(result, "device");

    return (struct cost){
        .cycles = (uint64_t)json_integer_value(json_object_get(profile, "cycles")),
        .bytes = (uint64_t)json_integer_value(json_object_get(profile, "payload_bytes")),
        .hz = (uint64_t)json_integer_value(json_object_get(device, "clock_hz")),
    };
}

/* What the processor allows when it does nothing else [bit/s]; 0 = not known. */
static uint64_t rate_bit_s(const struct cost *cost) {
    return cost->cycles > 0 ? nd_fmt_muldiv(cost->bytes * 8, cost->hz, cost->cycles) : 0;
}

/* a in percent more than b, to three decimals. */
static json_t *percent_more(uint64_t a, uint64_t b) {
    return json_real((double)((int64_t)nd_fmt_muldiv(a, 100000, b) - 100000) / 1000.0);
}

static json_t *describe_cost(const struct cost *cost) {
    json_t *object = json_object();

    result_ratio(object, "cycles_per_byte", cost->cycles, cost->bytes);
    result_value(object, "processor_bit_s", (int64_t)rate_bit_s(cost));
    return object;
}

/* The same with what the wire and the peer made of it. */
static json_t *describe_run(const json_t *document, const struct cost *cost) {
    const json_t *steps = json_object_get(json_object_get(document, "result"), "steps");
    const json_t *step = json_array_get(steps, json_array_size(steps) - 1);
    json_t *object = describe_cost(cost);

    result_take(object, "goodput_bit_s", json_object_get(step, "goodput_bit_s"));
    result_take(object, "wire_share_pct", json_object_get(step, "wire_share_pct"));
    result_take(object, "busy_pct", json_object_get(step, "busy_pct"));
    return object;
}

static json_t *describe_change(const struct variant *variant) {
    json_t *object = json_object();
    json_t *options = json_array();
    json_t *parts = json_array();

    for (unsigned i = 0; i < variant->option_count; i++) {
        json_array_append_new(options, json_string(variant->options[i]));
    }
    for (unsigned i = 0; i < variant->part_count; i++) {
        json_array_append_new(parts, json_string(variant->parts[i].name));
    }
    json_object_set_new(object, "without", parts);
    json_object_set_new(object, "options", options);
    result_text(object, "load", variant->load->name);
    return object;
}

/* What limits a rate shows in these [%]. */
#define FULL_PCT 99.5

static double number_of(const json_t *object, const char *key) {
    return json_number_value(json_object_get(object, key));
}

/* The goodput to expect: the processor's share of it grows until the wire is full. Where neither of
 * both is what limits it, a faster processor says nothing. */
static void predict_goodput(json_t *predicted, const json_t *before, uint64_t cycles,
                            uint64_t cycles_left) {
    uint64_t goodput_bit_s = (uint64_t)json_integer_value(json_object_get(before, "goodput_bit_s"));
    double wire_pct = number_of(before, "wire_share_pct");
    double most_bit_s = wire_pct > 0 ? (double)goodput_bit_s * 100 / wire_pct : 0;
    double faster_bit_s = (double)nd_fmt_muldiv(goodput_bit_s, cycles, cycles_left);

    if (wire_pct >= FULL_PCT) {
        result_value(predicted, "goodput_bit_s", (int64_t)goodput_bit_s);
    } else if (most_bit_s > 0 && number_of(before, "busy_pct") >= FULL_PCT) {
        result_value(predicted, "goodput_bit_s",
                     (int64_t)(faster_bit_s < most_bit_s ? faster_bit_s : most_bit_s));
    } else {
        result_absent(predicted, "goodput_bit_s", "not_supported");
    }
}

/* Only where a part of the profile is known to go, and nothing else changes. */
static void predict(json_t *object, const struct variant *variant, const struct cost *before,
                    uint64_t removed, uint64_t after_bit_s) {
    struct cost cost = *before;
    json_t *predicted;

    if (!variant->is_predictable || removed >= cost.cycles) {
        result_absent(object, "predicted", "not_supported");
        return;
    }
    cost.cycles -= removed;
    predicted = describe_cost(&cost);
    result_ratio(predicted, "share_pct", removed * 100, before->cycles);
    json_object_set_new(predicted, "gain_pct", percent_more(rate_bit_s(&cost), rate_bit_s(before)));
    json_object_set_new(predicted, "difference_pct", percent_more(rate_bit_s(&cost), after_bit_s));
    predict_goodput(predicted, json_object_get(object, "before"), before->cycles, cost.cycles);
    json_object_set_new(object, "predicted", predicted);
}

/* Beside every goodput, what it is more than the first. */
static void add_goodput_gain(json_t *object, const json_t *before) {
    json_int_t now = json_integer_value(json_object_get(object, "goodput_bit_s"));
    json_int_t then = json_integer_value(json_object_get(before, "goodput_bit_s"));

    if (now > 0 && then > 0) {
        json_object_set_new(object, "goodput_gain_pct",
                            percent_more((uint64_t)now, (uint64_t)then));
    } else if (object != NULL) {
        result_absent(object, "goodput_gain_pct", "not_supported");
    }
}

static int compare(const struct variant *variant, json_t *first, const json_t *second,
                   uint64_t removed) {
    struct cost before = cost_of(first);
    struct cost after = cost_of(second);
    json_t *object = describe_change(variant);
    json_t *shown = describe_run(second, &after);

    if (rate_bit_s(&before) == 0 || rate_bit_s(&after) == 0) {
        say_error("too few bytes were moved to compare");
        json_decref(shown);
        json_decref(object);
        return SAY_FAILED;
    }
    json_object_set_new(object, "before", describe_run(first, &before));
    predict(object, variant, &before, removed, rate_bit_s(&after));
    json_object_set_new(shown, "gain_pct", percent_more(rate_bit_s(&after), rate_bit_s(&before)));
    json_object_set(shown, "profile",
                    json_object_get(json_object_get(second, "result"), "profile"));
    json_object_set_new(object, "after", shown);
    add_goodput_gain(json_object_get(object, "predicted"), json_object_get(object, "before"));
    add_goodput_gain(shown, json_object_get(object, "before"));
    json_object_set_new(json_object_get(first, "result"), "experiment", object);
    return SAY_DONE;
}

/* ---- the whole ------------------------------------------------------------------------- */

static int run_both(const struct experiment *experiment, const struct variant *variant,
                    const char *own, const char *changed, json_t **document) {
    uint64_t removed = 0;
    json_t *second = NULL;
    int code =
        experiment->profile(experiment->ctx, own, experiment->load, variant, &removed, document);

    if (code == SAY_DONE) {
        code = experiment->profile(experiment->ctx, changed, variant->load, NULL, NULL, &second);
    }
    if (code == SAY_DONE) {
        code = compare(variant, *document, second, removed);
    }
    json_decref(second);
    return code;
}

int experiment_run(const struct experiment *experiment, json_t **document) {
    struct variant variant = {.table = NULL};
    struct place place;
    char own[PATH_MAX];
    char changed[PATH_MAX];
    int code = find_place(experiment, &place);

    *document = NULL;
    if (code == SAY_DONE) {
        code = build(experiment, &place, NULL, own);
    }
    if (code == SAY_DONE) {
        code = variant_read(&variant, experiment->command, &experiment->options->without,
                            &experiment->options->with, experiment->load, own, place.image);
    }
    if (code == SAY_DONE) {
        code = build(experiment, &place, &variant, changed);
    }
    if (code == SAY_DONE) {
        code = run_both(experiment, &variant, own, changed, document);
    }
    if (code != SAY_DONE) {
        json_decref(*document);
        *document = NULL;
    }
    variant_free(&variant);
    return code;
}

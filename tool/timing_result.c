/* SPDX-License-Identifier: BSD-3-Clause */
/* A row names the function that it times and the probe that calls it. Outside, the same calls are
 * the contexts of that function whose parent is that probe; calls from elsewhere it does not see.
 * What probes do inside a call is not the function's work, here as there. */
#include "timing_result.h"

#include <stdlib.h>
#include <string.h>

/* Calls of one row, as counted outside. */
struct outside {
    uint64_t seen;   /* from the probe */
    uint64_t missed; /* from what is no probe */
    uint64_t cycles; /* of those seen */
};

/* The function's own name: without what GCC appends. */
static bool is_named(const struct symbol *symbol, const char *name) {
    size_t length = strlen(name);

    return strncmp(symbol->name, name, length) == 0 &&
           (symbol->name[length] == '\0' || symbol->name[length] == '.');
}

bool timing_forget(struct rig *rig, const struct symbols *symbols) {
    for (size_t i = 0; i < symbols->count; i++) {
        if (is_named(&symbols->symbols[i], "nd_timing_leave")) {
            return rig_command(rig, NULL, "timing reset") == ND_OK;
        }
    }
    return false;
}

/* ---- outside ---- */

static bool is_probe(const struct profile *profile, const struct nd_sim_context *context) {
    const struct symbol *symbol = profile_symbol(profile, context->function);

    return strcmp(layers_find(profile->layers, symbol), LAYER_PROBES) == 0;
}

/* Of each context, cycles with all that it called but probes; NULL without memory. */
static uint64_t *add_up_work(const struct profile *profile) {
    const struct nd_sim_profile *raw = profile->raw;
    uint64_t *work = calloc(raw->context_count + 1u, sizeof *work);

    if (work == NULL) {
        return NULL;
    }
    for (uint32_t i = raw->context_count; i-- > 0;) {
        if (!is_probe(profile, &raw->contexts[i])) {
            work[i] += raw->contexts[i].cycles;
        }
        if (i > 0) {
            work[raw->contexts[i].parent] += work[i];
        }
    }
    return work;
}

static struct outside count_outside(const struct profile *profile, const uint64_t *work,
                                    const char *function, const char *probe) {
    const struct nd_sim_profile *raw = profile->raw;
    struct outside result = {0};

    for (uint32_t i = 1; i < raw->context_count; i++) {
        const struct nd_sim_context *context = &raw->contexts[i];
        const struct nd_sim_context *parent = &raw->contexts[context->parent];

        if (!is_named(profile_symbol(profile, context->function), function)) {
            continue;
        }
        if (is_named(profile_symbol(profile, parent->function), probe)) {
            result.seen += context->entries;
            result.cycles += work[i];
        } else if (!is_probe(profile, parent)) {
            result.missed += context->entries;
        }
    }
    return result;
}

/* ---- the document ---- */

static json_t *describe_outside(const struct outside *outside) {
    json_t *object = json_object();

    result_value(object, "count", (int64_t)outside->seen);
    result_value(object, "missed", (int64_t)outside->missed);
    result_ratio(object, "average_cycles", outside->cycles, outside->seen);
    return object;
}

/* How far the table's average without the probes' cost is from the one outside. */
static void add_difference(json_t *row, const json_t *outside, bool in_cycles) {
    const json_t *inside_average = json_object_get(row, "net_average_ticks");
    const json_t *outside_average = json_object_get(outside, "average_cycles");
    double base = json_number_value(outside_average);

    if (!in_cycles) {
        result_absent(row, "difference_pct", "not_supported");
    } else if (inside_average == NULL || outside_average == NULL || base <= 0) {
        result_absent(row, "difference_pct", "no_samples");
    } else {
        double steps = (json_number_value(inside_average) - base) / base * 1e5;
        int64_t nearest = (int64_t)(steps < 0 ? steps - 0.5 : steps + 0.5);

        json_object_set_new(row, "difference_pct", json_real((double)nearest / 1e3));
    }
}

static json_t *describe_row(const struct profile *profile, const uint64_t *work, const json_t *item,
                            bool in_cycles) {
    const char *function = json_string_value(json_object_get(item, "function"));
    const char *probe = json_string_value(json_object_get(item, "probe"));
    json_t *row = json_object();

    result_take_item(row, item);
    if (function == NULL || probe == NULL) {
        result_absent(row, "outside", "not_supported");
        return row;
    }
    struct outside outside = count_outside(profile, work, function, probe);
    json_object_set_new(row, "outside", describe_outside(&outside));
    add_difference(row, json_object_get(row, "outside"), in_cycles);
    return row;
}

static json_t *describe(const struct profile *profile, const uint64_t *work, const json_t *items) {
    json_t *object = json_object();
    json_t *rows = json_array();
    bool in_cycles = false;
    size_t index;
    json_t *item;

    json_array_foreach(items, index, item) {
        if (json_object_get(item, "name") == NULL) {
            const char *tick = json_string_value(json_object_get(item, "tick"));

            in_cycles = tick != NULL && strcmp(tick, "cycle") == 0;
            result_take_item(object, item);
        } else {
            json_array_append_new(rows, describe_row(profile, work, item, in_cycles));
        }
    }
    json_object_set_new(object, "rows", rows);
    return object;
}

json_t *timing_describe(struct rig *rig, const struct profile *profile) {
    uint64_t *work = add_up_work(profile);
    json_t *items = NULL;
    json_t *object = NULL;

    if (work == NULL) {
        snprintf(rig->target.error, sizeof rig->target.error, "out of memory");
    } else if (rig_command(rig, &items, "timing") == ND_OK) {
        object = describe(profile, work, items);
        json_decref(items);
    }
    free(work);
    return object;
}

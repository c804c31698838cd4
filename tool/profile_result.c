/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile_result.h"

#include <stdlib.h>
#include <string.h>

#include "result.h"

/* Code that is in no function of the firmware's symbols. */
static const struct symbol unknown = {.name = (char *)"(unknown)", .label = (char *)"(unknown)"};

/* A function's part of the whole. */
struct part {
    uint32_t function;
    uint64_t self;
    uint64_t inclusive;
    uint64_t entries;
};

/* A layer's. */
struct slice {
    const char *layer;
    uint64_t cycles;
    struct nd_sim_bytes bytes;
};

const struct symbol *profile_symbol(const struct profile *profile, uint32_t function) {
    return function > 0 && function <= profile->symbols->count
               ? &profile->symbols->symbols[function - 1]
               : &unknown;
}

/* ---- sums ---- */

/* A function that calls itself, through others or not, counts where it was called first. */
static bool is_inside_itself(const struct nd_sim_profile *raw, uint32_t context) {
    uint32_t at = context;

    while (at != 0) {
        at = raw->contexts[at].parent;
        if (raw->contexts[at].function == raw->contexts[context].function) {
            return true;
        }
    }
    return false;
}

static void add_up(const struct nd_sim_profile *raw, struct part *parts, uint64_t *inclusive) {
    for (uint32_t i = raw->context_count; i-- > 0;) {
        const struct nd_sim_context *context = &raw->contexts[i];
        struct part *part = &parts[context->function];

        inclusive[i] += context->cycles;
        if (i > 0) {
            inclusive[context->parent] += inclusive[i];
        }
        part->self += context->cycles;
        part->entries += context->entries;
        if (!is_inside_itself(raw, i)) {
            part->inclusive += inclusive[i];
        }
    }
}

/* The layer of a context's function. */
static const char *layer_of(const struct profile *profile, uint32_t context) {
    return layers_find(profile->layers,
                       profile_symbol(profile, profile->raw->contexts[context].function));
}

/* From the leaves to the root: a context that is counted hands its cycles to nobody, another to its
 * parent. */
uint64_t profile_called(const struct profile *profile, const char *layer, const char *caller) {
    const struct nd_sim_profile *raw = profile->raw;
    static uint64_t inclusive[ND_SIM_CONTEXTS];
    uint64_t cycles = 0;

    memset(inclusive, 0, sizeof inclusive);
    for (uint32_t i = raw->context_count; i-- > 1;) {
        const char *parent = layer_of(profile, raw->contexts[i].parent);

        inclusive[i] += raw->contexts[i].cycles;
        if (inclusive[i] == 0) {
            continue;
        }
        if (strcmp(layer_of(profile, i), layer) == 0 && strcmp(parent, layer) != 0 &&
            (caller == NULL || strcmp(parent, caller) == 0)) {
            cycles += inclusive[i];
        } else {
            inclusive[raw->contexts[i].parent] += inclusive[i];
        }
    }
    return cycles;
}

/* ---- the document ---- */

static void add_share(const struct profile *profile, json_t *object, uint64_t cycles) {
    result_ratio(object, "share_pct", cycles * 100, profile->raw->cycles);
    if (profile->payload_bytes > 0) {
        result_ratio(object, "cycles_per_byte", cycles, profile->payload_bytes);
    }
}

/* What passed through: of a copy as many bytes are loaded as stored, and counted once. */
static void add_bytes(json_t *object, const struct nd_sim_bytes *bytes, uint64_t cycles) {
    uint64_t most = bytes->loaded > bytes->stored ? bytes->loaded : bytes->stored;

    result_value(object, "loaded_bytes", (int64_t)bytes->loaded);
    result_value(object, "stored_bytes", (int64_t)bytes->stored);
    if (most > 0) {
        result_ratio(object, "cycles_per_moved_byte", cycles, most);
    } else {
        result_absent(object, "cycles_per_moved_byte", "no_samples");
    }
}

static json_t *describe_calls(const struct nd_sim_calls *calls) {
    json_t *object = json_object();

    result_value(object, "count", (int64_t)calls->count);
    if (calls->count > 0) {
        result_value(object, "min_cycles", (int64_t)calls->min);
        result_value(object, "max_cycles", (int64_t)calls->max);
        result_ratio(object, "average_cycles", calls->total, calls->count);
    } else {
        result_absent(object, "average_cycles", "no_samples");
    }
    return object;
}

static json_t *describe_part(const struct profile *profile, const struct part *part) {
    const struct symbol *symbol = profile_symbol(profile, part->function);
    json_t *object = json_object();

    result_text(object, "function", symbol->label);
    result_text(object, "layer", layers_find(profile->layers, symbol));
    result_value(object, "entries", (int64_t)part->entries);
    result_value(object, "cycles", (int64_t)part->self);
    add_share(profile, object, part->self);
    add_bytes(object, &profile->raw->bytes[part->function], part->self);
    result_value(object, "inclusive_cycles", (int64_t)part->inclusive);
    json_object_set_new(object, "calls", describe_calls(&profile->raw->calls[part->function]));
    return object;
}

/* Most cycles first. Functions stand in the order of their addresses, which breaks ties. */
static int compare_parts(const void *a, const void *b) {
    const struct part *left = a;
    const struct part *right = b;

    if (left->self != right->self) {
        return left->self > right->self ? -1 : 1;
    }
    return left->function < right->function ? -1 : left->function > right->function;
}

static int compare_slices(const void *a, const void *b) {
    const struct slice *left = a;
    const struct slice *right = b;

    if (left->cycles != right->cycles) {
        return left->cycles > right->cycles ? -1 : 1;
    }
    return strcmp(left->layer, right->layer);
}

static json_t *describe_functions(const struct profile *profile, struct part *parts, size_t count) {
    json_t *array = json_array();

    qsort(parts, count, sizeof *parts, compare_parts);
    for (size_t i = 0; i < count; i++) {
        if (parts[i].self > 0 || parts[i].entries > 0) {
            json_array_append_new(array, describe_part(profile, &parts[i]));
        }
    }
    return array;
}

static void add_slice(struct slice *slices, size_t *count, const char *layer, uint64_t cycles,
                      const struct nd_sim_bytes *bytes) {
    size_t i = 0;

    while (i < *count && strcmp(slices[i].layer, layer) != 0) {
        i++;
    }
    if (i == *count) {
        slices[i] = (struct slice){.layer = layer};
        (*count)++;
    }
    slices[i].cycles += cycles;
    slices[i].bytes.loaded += bytes->loaded;
    slices[i].bytes.stored += bytes->stored;
}

static json_t *describe_layers(const struct profile *profile, const struct part *parts,
                               size_t part_count, struct slice *slices) {
    json_t *array = json_array();
    size_t count = 0;

    for (size_t i = 0; i < part_count; i++) {
        if (parts[i].self > 0) {
            const struct symbol *symbol = profile_symbol(profile, parts[i].function);

            add_slice(slices, &count, layers_find(profile->layers, symbol), parts[i].self,
                      &profile->raw->bytes[parts[i].function]);
        }
    }
    qsort(slices, count, sizeof *slices, compare_slices);
    for (size_t i = 0; i < count; i++) {
        json_t *object = json_object();

        result_text(object, "layer", slices[i].layer);
        result_value(object, "cycles", (int64_t)slices[i].cycles);
        add_share(profile, object, slices[i].cycles);
        add_bytes(object, &slices[i].bytes, slices[i].cycles);
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *describe_whole(const struct profile *profile) {
    const struct nd_sim_profile *raw = profile->raw;
    json_t *object = json_object();

    result_value(object, "cycles", (int64_t)raw->cycles);
    result_value(object, "instructions", (int64_t)raw->instructions);
    result_ratio(object, "cycles_per_instruction", raw->cycles, raw->instructions);
    if (profile->payload_bytes > 0) {
        result_value(object, "payload_bytes", (int64_t)profile->payload_bytes);
        result_ratio(object, "cycles_per_byte", raw->cycles, profile->payload_bytes);
    } else {
        result_absent(object, "cycles_per_byte", "no_samples");
    }
    return object;
}

static const char *check_sum(const struct nd_sim_profile *raw, const struct part *parts,
                             size_t count) {
    uint64_t sum = 0;

    for (size_t i = 0; i < count; i++) {
        sum += parts[i].self;
    }
    if (raw->lost > 0) {
        return "the firmware has more chains of calls than are kept";
    }
    return sum == raw->cycles ? NULL : "the functions' cycles do not add up to the whole";
}

json_t *profile_describe(const struct profile *profile, const char **wrong) {
    size_t count = profile->symbols->count + 1;
    struct part *parts = calloc(count, sizeof *parts);
    struct slice *slices = calloc(count, sizeof *slices);
    uint64_t *inclusive = calloc(profile->raw->context_count + 1u, sizeof *inclusive);
    json_t *object = NULL;

    *wrong = "out of memory";
    if (parts != NULL && slices != NULL && inclusive != NULL) {
        for (size_t i = 0; i < count; i++) {
            parts[i].function = (uint32_t)i;
        }
        add_up(profile->raw, parts, inclusive);
        *wrong = check_sum(profile->raw, parts, count);
    }
    if (*wrong == NULL) {
        object = describe_whole(profile);
        json_object_set_new(object, "layers", describe_layers(profile, parts, count, slices));
        json_object_set_new(object, "functions", describe_functions(profile, parts, count));
    }
    free(inclusive);
    free(slices);
    free(parts);
    return object;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* profile_export.c - chains of calls for the programs that draw flame graphs. */
#include <inttypes.h>
#include <stdio.h>

#include "outfile.h"
#include "profile_result.h"
#include "result.h"

/* Longer chains are cut at the root: the simulator follows no deeper ones. */
#define DEPTH_MAX 512

/* The functions of a chain, the root first; context 0 is nobody's. Returns the count. */
static size_t unwind(const struct nd_sim_profile *raw, uint32_t context, uint32_t chain[]) {
    uint32_t reversed[DEPTH_MAX];
    size_t count = 0;

    for (; context != 0 && count < DEPTH_MAX; context = raw->contexts[context].parent) {
        reversed[count++] = raw->contexts[context].function;
    }
    for (size_t i = 0; i < count; i++) {
        chain[i] = reversed[count - 1 - i];
    }
    if (count == 0) {
        chain[count++] = 0;
    }
    return count;
}

int profile_write_folded(const struct profile *profile, const char *path) {
    FILE *file = outfile_open(path);
    uint32_t chain[DEPTH_MAX];

    if (file == NULL) {
        return -1;
    }
    for (uint32_t i = 0; i < profile->raw->context_count; i++) {
        const struct nd_sim_context *context = &profile->raw->contexts[i];
        size_t count = context->cycles > 0 ? unwind(profile->raw, i, chain) : 0;

        for (size_t at = 0; at < count; at++) {
            fprintf(file, "%s%s", at > 0 ? ";" : "", profile_symbol(profile, chain[at])->label);
        }
        if (count > 0) {
            fprintf(file, " %" PRIu64 "\n", context->cycles);
        }
    }
    return outfile_close(file, path);
}

static json_t *speedscope_frames(const struct profile *profile) {
    json_t *frames = json_array();

    for (uint32_t i = 0; i <= profile->symbols->count; i++) {
        json_array_append_new(frames,
                              json_pack("{s:s}", "name", profile_symbol(profile, i)->label));
    }
    return frames;
}

static json_t *speedscope_samples(const struct profile *profile, json_t *weights) {
    json_t *samples = json_array();
    uint32_t chain[DEPTH_MAX];

    for (uint32_t i = 0; i < profile->raw->context_count; i++) {
        const struct nd_sim_context *context = &profile->raw->contexts[i];
        json_t *stack;

        if (context->cycles == 0) {
            continue;
        }
        stack = json_array();
        for (size_t at = 0, count = unwind(profile->raw, i, chain); at < count; at++) {
            json_array_append_new(stack, json_integer(chain[at]));
        }
        json_array_append_new(samples, stack);
        json_array_append_new(weights, json_integer((json_int_t)context->cycles));
    }
    return samples;
}

/* The form "sampled" of https://www.speedscope.app/file-format-schema.json. */
int profile_write_speedscope(const struct profile *profile, const char *title, const char *path) {
    json_t *weights = json_array();
    json_t *samples = speedscope_samples(profile, weights);
    json_t *document =
        json_pack("{s:s, s:s, s:{s:o}, s:[{s:s, s:s, s:s, s:i, s:I, s:o, s:o}]}", "$schema",
                  "https://www.speedscope.app/file-format-schema.json", "exporter", "netdyno",
                  "shared", "frames", speedscope_frames(profile), "profiles", "type", "sampled",
                  "name", title, "unit", "none", "startValue", 0, "endValue",
                  (json_int_t)profile->raw->cycles, "samples", samples, "weights", weights);
    int result = result_write(document, path);

    json_decref(document);
    return result;
}

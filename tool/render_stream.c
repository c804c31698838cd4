/* SPDX-License-Identifier: BSD-3-Clause */
#include "render_stream.h"

#include <stdbool.h>

static void render_row(const json_t *step, const char *name, FILE *out) {
    json_int_t chunk_ns = json_integer_value(json_object_get(step, "chunk_ns"));

    fprintf(out, "  %-26s%10" JSON_INTEGER_FORMAT, name,
            json_integer_value(json_object_get(step, "chunk_bytes")));
    if (chunk_ns > 0) {
        fprintf(out, "%12.3f%14.1f", (double)chunk_ns / 1e6, 1e9 / (double)chunk_ns);
    } else {
        fprintf(out, "%12s%14s", "-", "-");
    }
    fprintf(out, "%8" JSON_INTEGER_FORMAT "%8" JSON_INTEGER_FORMAT "\n",
            json_integer_value(json_object_get(step, "chunks")),
            json_integer_value(json_object_get(step, "chunks_missed")));
}

static const char *name_of(const json_t *step) {
    return json_object_get(step, "offered_chunks_s") == NULL ? "as fast as they go"
                                                             : "at a kept rate";
}

void render_stream(const json_t *steps, FILE *out) {
    bool begun = false;
    size_t index;
    json_t *step;

    json_array_foreach((json_t *)steps, index, step) {
        if (json_object_get(step, "chunks") == NULL) {
            continue;
        }
        if (!begun) {
            fprintf(out, "\n%-28s%10s%12s%14s%8s%8s\n", "Chunks", "byte", "ms each", "a second",
                    "sent", "missed");
            begun = true;
        }
        render_row(step, name_of(step), out);
    }
}

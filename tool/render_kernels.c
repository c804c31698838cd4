/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernels_result.h"
#include "render.h"

#include <string.h>

/* Columns [byte]. */
static const int shown[] = {1, 20, 64, 256, 576, 1460, 4096};

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

static bool is_text(const json_t *object, const char *key, const char *text) {
    return strcmp(text_of(object, key), text) == 0;
}

static json_int_t number_of(const json_t *object, const char *key) {
    return json_integer_value(json_object_get(object, key));
}

static void cell(double value, FILE *out) {
    if (value < 0) {
        fprintf(out, "%8s", "-");
    } else {
        fprintf(out, "%8.3f", value);
    }
}

static void render_heading(const char *what, FILE *out) {
    fprintf(out, "\n%-13s", what);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        fprintf(out, "%8d", shown[i]);
    }
    fprintf(out, "%8s\n", "worst");
}

static void render_routine(const json_t *kernels, const json_t *routine, FILE *out) {
    const char *key = kernels_unit_key(kernels);

    fprintf(out, "  %-11s", text_of(routine, "name"));
    if (!is_text(routine, "status", "ok")) {
        fprintf(out, "differs from the reference for %d byte\n",
                (int)number_of(routine, "wrong_bytes"));
        return;
    }
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        cell(kernels_figure(routine, key, shown[i], false), out);
    }
    cell(kernels_figure(routine, key, KERNELS_SEGMENT_BYTES, true), out);
    fputc('\n', out);
}

static bool is_told(const json_t *routines, size_t before, const char *what) {
    for (size_t i = 0; i < before; i++) {
        if (is_text(json_array_get(routines, i), "what", what)) {
            return true;
        }
    }
    return false;
}

/* Kind by kind. */
static void render_routines(const json_t *kernels, FILE *out) {
    const json_t *routines = json_object_get(kernels, "routines");

    for (size_t first = 0; first < json_array_size(routines); first++) {
        const char *what = text_of(json_array_get(routines, first), "what");

        if (is_told(routines, first, what)) {
            continue;
        }
        render_heading(what, out);
        for (size_t i = first; i < json_array_size(routines); i++) {
            if (is_text(json_array_get(routines, i), "what", what)) {
                render_routine(kernels, json_array_get(routines, i), out);
            }
        }
    }
}

static void render_verdicts(const json_t *kernels, FILE *out) {
    size_t index;
    json_t *verdict;

    fputc('\n', out);
    json_array_foreach(json_object_get(kernels, "verdicts"), index, verdict) {
        fprintf(out, "%s\n", json_string_value(verdict));
    }
}

static void render_proofs(const json_t *kernels, FILE *out) {
    size_t index;
    json_t *routine;

    fprintf(out,
            "Compared with the reference for every length up to %d byte and addresses modulo 8:\n",
            (int)number_of(kernels, "proved_bytes"));
    json_array_foreach(json_object_get(kernels, "routines"), index, routine) {
        fprintf(out, "  %-14s %-12s %s\n", text_of(routine, "what"), text_of(routine, "name"),
                is_text(routine, "status", "ok") ? "the same" : "differs");
    }
}

void render_kernels(const json_t *document, FILE *out) {
    const json_t *result = json_object_get(document, "result");
    const json_t *kernels = json_object_get(result, "kernels");

    fprintf(out, "Checksum and copy: %s\n", text_of(result, "target"));
    if (json_object_get(kernels, "proved_bytes") != NULL) {
        render_proofs(kernels, out);
        return;
    }
    fprintf(out,
            "In %s, by length, both addresses aligned; worst: %d byte, any addresses.\n"
            "Each was compared with the reference before it was timed.\n",
            kernels_unit_word(kernels), KERNELS_SEGMENT_BYTES);
    render_routines(kernels, out);
    render_verdicts(kernels, out);
}

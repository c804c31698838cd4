/* SPDX-License-Identifier: BSD-3-Clause */
/* render_matrix.c - a row per combination of options. */
#include <stdbool.h>
#include <string.h>

#include "render.h"

/* Widths of a step's figures and of the sizes. */
enum { RATE = 9, WORK = 8, SIZE = 9 };

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

/* The last part of a path: a directory of sources is told apart by its name. */
static const char *short_value(const char *value) {
    const char *slash = strrchr(value, '/');

    return slash != NULL && slash[1] != '\0' ? slash + 1 : value;
}

static int width_of(const json_t *cells, const char *key) {
    int width = (int)strlen(key);
    size_t index;
    json_t *cell;

    json_array_foreach((json_t *)cells, index, cell) {
        int length = (int)strlen(short_value(text_of(json_object_get(cell, "options"), key)));
        width = length > width ? length : width;
    }
    return width + 2;
}

static void render_number(const json_t *value, double scale, int width, int decimals, FILE *out) {
    if (json_is_number(value)) {
        fprintf(out, "%*.*f", width, decimals, json_number_value(value) * scale);
    } else {
        fprintf(out, "%*s", width, "-");
    }
}

/* The step's work per byte, whatever its tick. */
static const json_t *work_of(const json_t *step) {
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)step, key, value) {
        if (strncmp(key, "busy_", 5) == 0 && strstr(key, "_per_byte") != NULL) {
            return value;
        }
    }
    return NULL;
}

/* True when the steps of this plan are chunks, which are told by their time. */
static bool has_chunks(const json_t *steps) {
    return json_object_get(json_array_get(steps, 0), "chunk_ns") != NULL;
}

static void render_heading(const json_t *cells, const json_t *steps, FILE *out) {
    const json_t *options = json_object_get(json_array_get(cells, 0), "options");
    const char *key;
    size_t index;
    json_t *value;
    json_t *step;
    int indent = 0;

    json_object_foreach((json_t *)options, key, value) {
        indent += width_of(cells, key);
    }
    fprintf(out, "%*s", indent, "");
    json_array_foreach((json_t *)steps, index, step) {
        fprintf(out, "%*s", RATE + WORK + (has_chunks(steps) ? RATE : 0), text_of(step, "step"));
    }
    fputc('\n', out);
    json_object_foreach((json_t *)options, key, value) {
        fprintf(out, "%-*s", width_of(cells, key), key);
    }
    json_array_foreach((json_t *)steps, index, step) {
        if (has_chunks(steps)) {
            fprintf(out, "%*s", RATE, "ms/chunk");
        }
        fprintf(out, "%*s%*s", RATE, "Mbit/s", WORK, "/byte");
    }
    fprintf(out, "%*s%*s\n", SIZE, "flash", SIZE, "RAM");
}

static void render_cell(const json_t *cells, const json_t *cell, FILE *out) {
    const char *key;
    size_t index;
    json_t *value;
    json_t *step;

    json_object_foreach(json_object_get(cell, "options"), key, value) {
        fprintf(out, "%-*s", width_of(cells, key), short_value(json_string_value(value)));
    }
    if (strcmp(text_of(cell, "status"), "ok") != 0) {
        fprintf(out, "  %s\n", text_of(cell, "reason"));
        return;
    }
    json_array_foreach(json_object_get(cell, "steps"), index, step) {
        if (json_object_get(step, "chunk_ns") != NULL) {
            render_number(json_object_get(step, "chunk_ns"), 1e-6, RATE, 3, out);
        }
        render_number(json_object_get(step, "goodput_bit_s"), 1e-6, RATE, 2, out);
        render_number(work_of(step), 1, WORK, 2, out);
    }
    render_number(json_object_get(cell, "flash_bytes"), 1, SIZE, 0, out);
    render_number(json_object_get(cell, "ram_bytes"), 1, SIZE, 0, out);
    fprintf(out, "%s\n", json_is_true(json_object_get(cell, "frontier")) ? " *" : "");
}

/* The steps of the first cell that has a result. */
static const json_t *find_steps(const json_t *cells) {
    size_t index;
    json_t *cell;

    json_array_foreach((json_t *)cells, index, cell) {
        if (strcmp(text_of(cell, "status"), "ok") == 0) {
            return json_object_get(cell, "steps");
        }
    }
    return NULL;
}

void render_matrix(const json_t *document, FILE *out) {
    const json_t *result = json_object_get(document, "result");
    const json_t *cells = json_object_get(result, "cells");
    size_t index;
    json_t *cell;

    fprintf(out, "%s, plan %s\n\n", text_of(result, "target"), text_of(result, "plan"));
    render_heading(cells, find_steps(cells), out);
    json_array_foreach((json_t *)cells, index, cell) {
        render_cell(cells, cell, out);
    }
    fprintf(out, "\n/byte: the device's work (cycles, if it counts them); flash and RAM in byte;\n"
                 "* no other has less work per byte, flash and RAM\n");
}

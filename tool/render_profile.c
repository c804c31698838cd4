/* SPDX-License-Identifier: BSD-3-Clause */
#include "render.h"
#include "render_timing.h"

#include <stdbool.h>
#include <string.h>

/* Rows of the table of functions: what is below has hardly a share. */
enum { FUNCTIONS_SHOWN = 30 };

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

/* A number in a column, "-" when it is absent. */
static void cell(const json_t *object, const char *key, int width, int decimals, FILE *out) {
    const json_t *value = json_object_get(object, key);

    if (json_is_number(value)) {
        fprintf(out, "%*.*f", width, decimals, json_number_value(value));
    } else {
        fprintf(out, "%*s", width, "-");
    }
}

static void render_heading(const json_t *result, FILE *out) {
    const json_t *profile = json_object_get(result, "profile");
    const json_t *device = json_object_get(result, "device");

    fprintf(out, "Where the cycles go: %s, %s, %s\n\n", text_of(result, "target"),
            text_of(profile, "load"), text_of(device, "stack"));
    fprintf(out, "  %" JSON_INTEGER_FORMAT " cycles, %" JSON_INTEGER_FORMAT " instructions (",
            json_integer_value(json_object_get(profile, "cycles")),
            json_integer_value(json_object_get(profile, "instructions")));
    cell(profile, "cycles_per_instruction", 0, 2, out);
    fprintf(out, " cycles each)\n  %" JSON_INTEGER_FORMAT " payload bytes, ",
            json_integer_value(json_object_get(profile, "payload_bytes")));
    cell(profile, "cycles_per_byte", 0, 2, out);
    fprintf(out, " cycles each; idle time is not counted\n");
}

static void render_layers(const json_t *profile, FILE *out) {
    size_t index;
    json_t *layer;

    fprintf(out, "\n%-34s%10s%12s%16s\n", "Layer", "%", "cycles/byte", "cycles");
    json_array_foreach(json_object_get(profile, "layers"), index, layer) {
        fprintf(out, "  %-32s", text_of(layer, "layer"));
        cell(layer, "share_pct", 10, 1, out);
        cell(layer, "cycles_per_byte", 12, 2, out);
        cell(layer, "cycles", 16, 0, out);
        fputc('\n', out);
    }
}

static void render_function(const json_t *function, FILE *out) {
    const json_t *calls = json_object_get(function, "calls");

    fprintf(out, "  %-27.27s%-11.11s", text_of(function, "function"), text_of(function, "layer"));
    cell(function, "share_pct", 6, 1, out);
    cell(function, "entries", 9, 0, out);
    cell(calls, "min_cycles", 8, 0, out);
    cell(calls, "average_cycles", 8, 0, out);
    cell(calls, "max_cycles", 9, 0, out);
    fputc('\n', out);
}

static void render_functions(const json_t *profile, FILE *out) {
    const json_t *functions = json_object_get(profile, "functions");
    size_t count = json_array_size(functions);

    fprintf(out, "\n%-29s%-11s%6s%9s%8s%8s%9s\n", "Function", "layer", "% self", "calls", "least",
            "average", "most");
    for (size_t i = 0; i < count && i < FUNCTIONS_SHOWN; i++) {
        render_function(json_array_get(functions, i), out);
    }
    if (count > FUNCTIONS_SHOWN) {
        fprintf(out, "  and %zu more, in --json\n", count - FUNCTIONS_SHOWN);
    }
    fprintf(out, "Least, average and most are cycles of a call with all that it calls.\n");
}

/* The functions that go over the payload itself. */
static bool handles_payload(const json_t *function) {
    const char *layer = text_of(function, "layer");

    return strcmp(layer, "checksum") == 0 || strcmp(layer, "copy") == 0;
}

static void render_bytes(const json_t *profile, FILE *out) {
    size_t index;
    json_t *function;

    fprintf(out, "\n%-40s%13s%13s%13s\n", "Bytes of checksums and copies", "loaded", "stored",
            "cycles/byte");
    json_array_foreach(json_object_get(profile, "functions"), index, function) {
        if (handles_payload(function) && json_object_get(function, "cycles_per_moved_byte")) {
            fprintf(out, "  %-27.27s%-11.11s", text_of(function, "function"),
                    text_of(function, "layer"));
            cell(function, "loaded_bytes", 13, 0, out);
            cell(function, "stored_bytes", 13, 0, out);
            cell(function, "cycles_per_moved_byte", 13, 2, out);
            fputc('\n', out);
        }
    }
}

void render_profile(const json_t *document, FILE *out) {
    const json_t *result = json_object_get(document, "result");
    const json_t *profile = json_object_get(result, "profile");

    render_heading(result, out);
    render_layers(profile, out);
    render_functions(profile, out);
    render_bytes(profile, out);
    render_timing(json_object_get(result, "timing"), out);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "render_bus.h"

#include <string.h>

static void cell(const json_t *row, const char *key, int width, int decimals, FILE *out) {
    const json_t *value = json_object_get(row, key);

    if (json_is_number(value)) {
        fprintf(out, "%*.*f", width, decimals, json_number_value(value));
    } else {
        fprintf(out, "%*s", width, "-");
    }
}

/* "memtest-rx ... memtest-echo": the first and the last of several. */
static void name(const json_t *row, FILE *out) {
    const json_t *steps = json_object_get(row, "steps");
    const size_t count = json_array_size(steps);
    char text[64] = "";

    if (count > 1) {
        snprintf(text, sizeof text, "%s ... %s", json_string_value(json_array_get(steps, 0)),
                 json_string_value(json_array_get(steps, count - 1)));
    } else if (count == 1) {
        snprintf(text, sizeof text, "%s", json_string_value(json_array_get(steps, 0)));
    }
    fprintf(out, "  %-28.28s", text);
}

void render_bus(const json_t *rows, FILE *out) {
    size_t index;
    json_t *row;

    if (rows == NULL) {
        return;
    }
    fprintf(out, "\n%-30s%12s%14s%14s%10s\n", "Bus of the network chip", "transactions", "per KiB",
            "byte/byte", "% busy");
    json_array_foreach((json_t *)rows, index, row) {
        if (json_integer_value(json_object_get(row, "payload_bytes")) == 0) {
            continue;
        }
        name(row, out);
        cell(row, "selects", 12, 0, out);
        cell(row, "selects_per_kib", 14, 2, out);
        cell(row, "bytes_per_byte", 14, 3, out);
        cell(row, "busy_pct", 10, 1, out);
        fputc('\n', out);
    }
}

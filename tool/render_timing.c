/* SPDX-License-Identifier: BSD-3-Clause */
#include "render_timing.h"

#include <string.h>

static void cell(const json_t *object, const char *key, int width, int decimals, FILE *out) {
    const json_t *value = json_object_get(object, key);

    if (json_is_number(value)) {
        fprintf(out, "%*.*f", width, decimals, json_number_value(value));
    } else {
        fprintf(out, "%*s", width, "-");
    }
}

static const char *reason(const json_t *row, const char *key) {
    return json_string_value(json_object_get(json_object_get(row, "absent"), key));
}

static void render_row(const json_t *row, FILE *out) {
    const json_t *outside = json_object_get(row, "outside");
    const char *lost = reason(row, "count");

    fprintf(out, "  %-15.15s", json_string_value(json_object_get(row, "name")));
    if (lost != NULL) {
        fprintf(out, "%9s%10s%10s", lost, "", "");
    } else {
        cell(row, "count", 9, 0, out);
        cell(row, "average_ticks", 10, 1, out);
        cell(row, "net_average_ticks", 10, 1, out);
    }
    cell(outside, "count", 9, 0, out);
    cell(outside, "missed", 9, 0, out);
    cell(outside, "average_cycles", 10, 1, out);
    cell(row, "difference_pct", 7, 1, out);
    fputc('\n', out);
}

void render_timing(const json_t *timing, FILE *out) {
    size_t index;
    json_t *row;

    if (timing == NULL) {
        return;
    }
    fprintf(out, "\n%-17s%29s%35s\n", "", "inside, by its probes", "outside");
    fprintf(out, "%-17s%9s%10s%10s%9s%9s%10s%7s\n", "Timing table", "count", "average", "net avg",
            "count", "missed", "average", "diff %");
    json_array_foreach(json_object_get(timing, "rows"), index, row) {
        render_row(row, out);
    }
    fprintf(out, "Inside in %ss, net without the probes' cost (",
            json_string_value(json_object_get(timing, "tick")));
    cell(timing, "inside_ticks", 0, 2, out);
    fputs(" each in its own row, ", out);
    cell(timing, "around_ticks", 0, 2, out);
    fputs(" in one around it).\nOutside in cycles; missed are calls that pass no probe.\n", out);
}

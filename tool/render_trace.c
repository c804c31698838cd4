/* SPDX-License-Identifier: BSD-3-Clause */
#include "render.h"

/* A time in microseconds, "-" when it is absent. */
static void cell(const json_t *object, const char *key, FILE *out) {
    const json_t *value = json_object_get(object, key);

    if (json_is_number(value)) {
        fprintf(out, "%12.3f", json_number_value(value) / 1000);
    } else {
        fprintf(out, "%12s", "-");
    }
}

static void render_signal(const json_t *signal, FILE *out) {
    fprintf(out, "  %-24.24s%8" JSON_INTEGER_FORMAT,
            json_string_value(json_object_get(signal, "signal")),
            json_integer_value(json_object_get(signal, "count")));
    cell(signal, "min_ns", out);
    cell(signal, "average_ns", out);
    cell(signal, "max_ns", out);
    fprintf(out, "%9.2f\n", json_number_value(json_object_get(signal, "high_pct")));
}

void render_trace(const json_t *document, FILE *out) {
    const json_t *result = json_object_get(document, "result");
    const json_t *trace = json_object_get(result, "trace");
    const json_t *signals = json_object_get(trace, "signals");
    size_t index;
    json_t *signal;

    fprintf(out, "Pulses of each signal: %s, %.3f us\n\n",
            json_string_value(json_object_get(result, "target")),
            json_number_value(json_object_get(trace, "length_ns")) / 1000);
    fprintf(out, "%-26s%8s%12s%12s%12s%9s\n", "Signal", "pulses", "least us", "average us",
            "most us", "% high");
    json_array_foreach(signals, index, signal) {
        render_signal(signal, out);
    }
    fprintf(out, "A pulse that the window cuts is in `%% high` only.\n");
}

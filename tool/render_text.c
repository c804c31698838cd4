/* SPDX-License-Identifier: BSD-3-Clause */
/* render_text.c - the dyno sheet. A dash is a value that is not there; its reason stands below. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "render.h"
#include "render_bus.h"
#include "render_memory.h"
#include "render_stream.h"

#define COLUMNS 80

/* Column headings of the first table, by key of the result. */
static const struct {
    const char *key;
    const char *name;
} absences[] = {
    {"goodput_bit_s", "goodput"},
    {"wire_share_pct", "of wire"},
    {"busy_pct", "CPU busy"},
};

/* Rows, in the plans' order. */
static const struct {
    const char *step;
    const char *title; /* of the group that begins here, or NULL */
    const char *name;
} rows[] = {
    {"memtest-rx", "Memory test", "receive"},
    {"memtest-tx", NULL, "send"},
    {"memtest-echo", NULL, "echo, 1024 byte"},
    {"tcp-rx", "TCP", "receive"},
    {"tcp-tx-copy", NULL, "send, stack copies"},
    {"tcp-tx-borrow", NULL, "send without copy"},
    {"echo-1", "Echo, one message at a time", "1 byte"},
    {"echo-64", NULL, "64 byte"},
    {"echo-1024", NULL, "1024 byte"},
    {"udp-tx", "UDP", "send"},
    {"bypass-tx", NULL, "send around the stack"},
    {"stream-free", "Stream of chunks", "as fast as they go"},
    {"stream-kept", NULL, "at a kept rate"},
};

#define ROWS (sizeof rows / sizeof *rows)

/* ---- reading the document ------------------------------------------------------------ */

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

static const json_t *find_step(const json_t *result, const char *name) {
    size_t index;
    json_t *step;

    json_array_foreach(json_object_get(result, "steps"), index, step) {
        if (strcmp(text_of(step, "step"), name) == 0) {
            return step;
        }
    }
    return NULL;
}

static bool is_ok(const json_t *step) {
    return strcmp(text_of(step, "status"), "ok") == 0;
}

/* The kind of tick in the work per byte: "instructions"; NULL when no step tells. */
static const char *tick_key(const json_t *result) {
    static const char *const keys[] = {"busy_instructions_per_byte", "busy_cycles_per_byte",
                                       "busy_ns_per_byte"};
    size_t index;
    json_t *step;

    json_array_foreach(json_object_get(result, "steps"), index, step) {
        for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
            if (json_object_get(step, keys[i]) != NULL) {
                return keys[i];
            }
        }
    }
    return NULL;
}

/* ---- heading ------------------------------------------------------------------------- */

static void rule(FILE *out, char c) {
    for (int i = 0; i < COLUMNS; i++) {
        fputc(c, out);
    }
    fputc('\n', out);
}

/* "96 MHz", "1 GHz". */
static const char *rate_text(json_int_t rate, const char *unit, char text[32]) {
    static const struct {
        double scale;
        const char *prefix;
    } scales[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}};
    size_t i = 0;

    while (i < 3 && (double)rate < scales[i].scale) {
        i++;
    }
    snprintf(text, 32, "%.4g %s%s", (double)rate / scales[i].scale, scales[i].prefix, unit);
    return text;
}

static void render_device(const json_t *result, FILE *out) {
    const json_t *device = json_object_get(result, "device");
    const json_t *config = json_object_get(result, "config");
    json_int_t clock_hz = json_integer_value(json_object_get(device, "clock_hz"));
    const char *board = text_of(config, "board");
    char rate[32];

    if (device == NULL) {
        return;
    }
    fprintf(out, "stack   %s (port %s)\n", text_of(device, "stack"), text_of(device, "port"));
    if (board[0] != '\0') {
        fprintf(out, "board   %s, %s\n", board, text_of(config, "core"));
    }
    fprintf(out, "clock   %s, %s, ", text_of(device, "clock"), rate_text(clock_hz, "Hz", rate));
    if (strcmp(text_of(device, "tick"), "instruction") == 0) {
        fprintf(out, "a tick is an instruction, not a cycle\n");
    } else {
        fprintf(out, "a tick is %s\n",
                strcmp(text_of(device, "tick"), "cycle") == 0 ? "a cycle" : "time");
    }
}

static void render_wire(const json_t *result, FILE *out) {
    const json_t *link = json_object_get(result, "link");
    json_int_t rate_bit_s = json_integer_value(json_object_get(link, "rate_bit_s"));
    json_int_t delay_ns = json_integer_value(json_object_get(link, "delay_ns"));
    json_int_t most_bit_s = json_integer_value(json_object_get(link, "tcp_most_bit_s"));
    char rate[32];

    if (rate_bit_s == 0) {
        return;
    }
    fprintf(out, "wire    %s", rate_text(rate_bit_s, "bit/s", rate));
    if (delay_ns > 0) {
        fprintf(out, ", delay %.3f ms", (double)delay_ns / 1e6);
    }
    if (most_bit_s > 0) {
        fprintf(out, ", carries at most %.3f Mbit/s of TCP payload", (double)most_bit_s / 1e6);
    }
    fputc('\n', out);
}

static void render_heading(const json_t *result, FILE *out) {
    static const char title[] = "netdyno dyno sheet";

    fprintf(out, "%s %*s\n", title, COLUMNS - (int)sizeof title, text_of(result, "target"));
    rule(out, '=');
    render_device(result, out);
    render_wire(result, out);
}

/* ---- speed --------------------------------------------------------------------------- */

static void cell(const json_t *step, const char *key, double scale, int width, int decimals,
                 FILE *out) {
    const json_t *value = key != NULL ? json_object_get(step, key) : NULL;

    if (json_is_number(value)) {
        fprintf(out, "%*.*f", width, decimals, json_number_value(value) * scale);
    } else {
        fprintf(out, "%*s", width, "-");
    }
}

static void render_row(const json_t *step, const char *name, const char *tick, FILE *out) {
    fprintf(out, "  %-26s", name);
    if (!is_ok(step)) {
        bool tried = strcmp(text_of(step, "status"), "failed") == 0;
        fprintf(out, "%12s\n", tried ? "failed" : "not run");
        return;
    }
    cell(step, "goodput_bit_s", 1e-6, 12, 3, out);
    cell(step, "wire_share_pct", 1, 12, 1, out);
    cell(step, "busy_pct", 1, 13, 1, out);
    cell(step, tick, 1, 15, 2, out);
    fputc('\n', out);
}

static void render_speed(const json_t *result, FILE *out) {
    const char *tick = tick_key(result);
    const char *work = tick == NULL                     ? "work/byte"
                       : strstr(tick, "instr") != NULL  ? "instr./byte"
                       : strstr(tick, "cycles") != NULL ? "cycles/byte"
                                                        : "CPU ns/byte";

    fprintf(out, "\n%-28s%12s%12s%13s%15s\n", "", "Mbit/s", "% of wire", "% CPU busy", work);
    for (size_t i = 0; i < ROWS; i++) {
        const json_t *step = find_step(result, rows[i].step);

        if (step == NULL) {
            continue;
        }
        if (rows[i].title != NULL) {
            fprintf(out, "%s\n", rows[i].title);
        }
        render_row(step, rows[i].name, tick, out);
    }
}

/* One line for each column in which some step has a dash. */
static void render_absences(const json_t *result, FILE *out) {
    for (size_t i = 0; i < sizeof absences / sizeof *absences; i++) {
        for (size_t row = 0; row < ROWS; row++) {
            const json_t *step = find_step(result, rows[row].step);
            const char *reason = text_of(json_object_get(step, "absent"), absences[i].key);

            if (reason[0] != '\0') {
                fprintf(out, "  - %s: %s\n", absences[i].name, reason);
                break;
            }
        }
    }
}

static void render_spans(const json_t *result, FILE *out) {
    for (size_t row = 0; row < ROWS; row++) {
        if (strcmp(text_of(find_step(result, rows[row].step), "span"), "sender") == 0) {
            fprintf(out, "  %s: rate over the sender's time; much lay in the receiver's buffer\n",
                    rows[row].step);
        }
    }
}

/* ---- latency ------------------------------------------------------------------------- */

static void render_latency_row(const json_t *step, const char *name, FILE *out) {
    static const char *const keys[] = {"min_ns", "p50_ns", "p90_ns", "p99_ns", "max_ns"};
    const json_t *latency = json_object_get(step, "latency");

    fprintf(out, "  %-18s", name);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        cell(latency, keys[i], 1e-3, 10, 1, out);
    }
    fprintf(out, "%10" JSON_INTEGER_FORMAT "\n",
            json_integer_value(json_object_get(latency, "samples")));
}

static void render_latency(const json_t *result, FILE *out) {
    bool begun = false;

    for (size_t i = 0; i < ROWS; i++) {
        const json_t *step = find_step(result, rows[i].step);

        if (json_object_get(step, "latency") == NULL) {
            continue;
        }
        if (!begun) {
            fprintf(out, "\n%-20s%10s%10s%10s%10s%10s%10s\n", "Round trip [us]", "least", "p50",
                    "p90", "p99", "most", "samples");
            begun = true;
        }
        render_latency_row(step, rows[i].name, out);
    }
}

/* ---- text ---------------------------------------------------------------------------- */

/* Words of a text from column `indent` on. */
static void wrap(const char *text, int indent, FILE *out) {
    int column = indent;

    while (*text != '\0') {
        int length = (int)strcspn(text, " ");

        if (column > indent && column + 1 + length > COLUMNS) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        }
        column += fprintf(out, "%s%.*s", column > indent ? " " : "", length, text);
        text += length;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static void render_config(const json_t *result, FILE *out) {
    const json_t *config = json_object_get(result, "config");
    const char *key, *comma = "";
    json_t *value;
    char *text = NULL;
    size_t size = 0;
    FILE *line = open_memstream(&text, &size);

    if (line == NULL) {
        return;
    }
    json_object_foreach((json_t *)config, key, value) {
        if (json_is_string(value)) {
            fprintf(line, "%s%s=%s", comma, key, json_string_value(value));
        } else if (json_is_integer(value)) {
            fprintf(line, "%s%s=%" JSON_INTEGER_FORMAT, comma, key, json_integer_value(value));
        } else {
            continue;
        }
        comma = ", ";
    }
    fclose(line);
    if (size > 0) {
        fprintf(out, "\nConfiguration\n  ");
        wrap(text, 2, out);
    }
    free(text);
}

/* Why steps have no result; a reason that follows itself is not repeated. */
static void render_failures(const json_t *result, FILE *out) {
    const char *latest = "";
    size_t index;
    json_t *step;

    json_array_foreach(json_object_get(result, "steps"), index, step) {
        const char *reason = text_of(step, "reason");

        if (is_ok(step) || strcmp(reason, latest) == 0) {
            continue;
        }
        fprintf(out, "%s  %-16s", latest[0] == '\0' ? "\nWithout result, and why\n" : "",
                text_of(step, "step"));
        wrap(reason, 18, out);
        latest = reason;
    }
}

void render_text(const json_t *document, FILE *out) {
    const json_t *result = json_object_get(document, "result");

    render_heading(result, out);
    if (json_object_get(result, "device") != NULL) {
        render_speed(result, out);
        render_absences(result, out);
        render_spans(result, out);
    }
    render_latency(result, out);
    render_stream(json_object_get(result, "steps"), out);
    render_heap(json_object_get(result, "steps"), out);
    render_bus(json_object_get(result, "bus"), out);
    render_memory(find_step(result, "memory-idle"), find_step(result, "memory-end"), out);
    render_failures(result, out);
    render_config(result, out);
}

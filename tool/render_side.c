/* SPDX-License-Identifier: BSD-3-Clause */
/* render_side.c - several targets side by side: a column each, and the ratio to the first.
 *
 * The shape is that of the first comparison of picoTCP and lwIP: throughput of the memory test in
 * both directions and together, free heap with its extremes, stack, and beside them what that one
 * did not have. A value that is not there is the reason for it; a ratio of what cannot be compared
 * is marked, and the reason stands below. */
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include "render.h"
#include "side.h"

#define NAME_WIDTH  26
#define VALUE_WIDTH 11
#define RATIO_WIDTH 9

/* Longest line of the table's body [byte]. */
#define LINE_BYTES (NAME_WIDTH + SIDE_COLUMNS * 96)

struct table {
    const json_t *columns[SIDE_COLUMNS]; /* the results */
    unsigned count;
    FILE *out;
    unsigned marked; /* SIDE_* that some ratio was marked for */
    size_t length;
    char line[LINE_BYTES]; /* being made */
};

static const struct side_row rows[] = {
    {"Memory test [Mbit/s]", "TX", side_step, "memtest-tx", "goodput_bit_s", 1e-6, 3, SIDE_SPEED},
    {NULL, "RX", side_step, "memtest-rx", "goodput_bit_s", 1e-6, 3, SIDE_SPEED},
    {NULL, "echo", side_step, "memtest-echo", "goodput_bit_s", 1e-6, 3, SIDE_SPEED},
    {NULL, "TX+RX", side_both_ways, NULL, NULL, 1e-6, 3, SIDE_SPEED},
    {"TCP [Mbit/s]", "TX, stack copies", side_step, "tcp-tx-copy", "goodput_bit_s", 1e-6, 3,
     SIDE_SPEED},
    {NULL, "TX without copy", side_step, "tcp-tx-borrow", "goodput_bit_s", 1e-6, 3, SIDE_SPEED},
    {NULL, "RX", side_step, "tcp-rx", "goodput_bit_s", 1e-6, 3, SIDE_SPEED},
    {"UDP [Mbit/s]", "TX", side_step, "udp-tx", "goodput_bit_s", 1e-6, 3, SIDE_SPEED},
    {"Round trip, p50 [us]", "1 byte", side_latency, "echo-1", "p50_ns", 1e-3, 1, SIDE_SPEED},
    {NULL, "64 byte", side_latency, "echo-64", "p50_ns", 1e-3, 1, SIDE_SPEED},
    {NULL, "1024 byte", side_latency, "echo-1024", "p50_ns", 1e-3, 1, SIDE_SPEED},
    {"Work per byte", "memory test TX", side_work, "memtest-tx", NULL, 1, 3, SIDE_WORK},
    {NULL, "memory test RX", side_work, "memtest-rx", NULL, 1, 3, SIDE_WORK},
    {NULL, "TCP TX, stack copies", side_work, "tcp-tx-copy", NULL, 1, 3, SIDE_WORK},
    {NULL, "TCP TX without copy", side_work, "tcp-tx-borrow", NULL, 1, 3, SIDE_WORK},
    {NULL, "TCP RX", side_work, "tcp-rx", NULL, 1, 3, SIDE_WORK},
    {"Free heap in memory test [byte]", "current", side_heap, NULL, "now_bytes", 1, 0, SIDE_SIZE},
    {NULL, "maximum", side_heap, NULL, "max_bytes", 1, 0, SIDE_SIZE},
    {NULL, "minimum", side_heap, NULL, "min_bytes", 1, 0, SIDE_SIZE},
    {NULL, "average", side_heap, NULL, "average_bytes", 1, 0, SIDE_SIZE},
    {"Memory [byte]", "heap, most used", side_pool, "heap", "used_max", 1, 0, SIDE_SIZE},
    {NULL, "processor stack", side_stack, NULL, "total_bytes", 1, 0, SIDE_SIZE},
    {NULL, "  of it most used", side_stack, NULL, "used_max_bytes", 1, 0, SIDE_SIZE},
    {"Flash [byte]", "TCP/IP stack", side_part, "stack", "flash_bytes", 1, 0, SIDE_SIZE},
    {NULL, "agent", side_part, "agent", "flash_bytes", 1, 0, SIDE_SIZE},
    {NULL, "agent's port", side_part, "port", "flash_bytes", 1, 0, SIDE_SIZE},
    {NULL, "whole image", side_firmware, NULL, "flash_bytes", 1, 0, SIDE_SIZE},
    {"RAM [byte]", "TCP/IP stack", side_part, "stack", "ram_bytes", 1, 0, SIDE_SIZE},
    {NULL, "agent", side_part, "agent", "ram_bytes", 1, 0, SIDE_SIZE},
    {NULL, "agent's port", side_part, "port", "ram_bytes", 1, 0, SIDE_SIZE},
    {NULL, "whole image", side_firmware, NULL, "ram_bytes", 1, 0, SIDE_SIZE},
};

#define ROWS (sizeof rows / sizeof *rows)

static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

/* ---- lines --------------------------------------------------------------------------- */

static void put(struct table *table, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(struct table *table, const char *format, ...) {
    va_list args;
    int length;

    va_start(args, format);
    length = vsnprintf(table->line + table->length, LINE_BYTES - table->length, format, args);
    va_end(args);
    if (length > 0) {
        table->length += (size_t)length;
        table->length = table->length < LINE_BYTES ? table->length : LINE_BYTES - 1;
    }
}

/* Print the line without the blanks at its end. */
static void end_line(struct table *table) {
    while (table->length > 0 && table->line[table->length - 1] == ' ') {
        table->length--;
    }
    fprintf(table->out, "%.*s\n", (int)table->length, table->line);
    table->length = 0;
}

static int table_width(const struct table *table) {
    return NAME_WIDTH + (int)table->count * (VALUE_WIDTH + RATIO_WIDTH);
}

static void rule(const struct table *table) {
    for (int i = 0; i < table_width(table); i++) {
        fputc('=', table->out);
    }
    fputc('\n', table->out);
}

/* ---- heading ------------------------------------------------------------------------- */

/* A, B, C: names of targets are too long for a column. */
static char letter(unsigned column) {
    return (char)('A' + column);
}

static void render_column(struct table *table, unsigned column) {
    const json_t *result = table->columns[column];
    const json_t *device = json_object_get(result, "device");
    const char *board = text_of(json_object_get(result, "config"), "board");

    put(table, "%c  %-20s ", letter(column), text_of(result, "target"));
    if (device != NULL) {
        put(table, "%s, port %s", text_of(device, "stack"), text_of(device, "port"));
        put(table, "%s%s", board[0] != '\0' ? ", board " : "", board);
    }
    end_line(table);
}

static void render_heading(struct table *table) {
    static const char title[] = "netdyno side by side";

    put(table, "%s %*s plan", title, table_width(table) - (int)sizeof title - 5,
        text_of(table->columns[0], "plan"));
    end_line(table);
    rule(table);
    for (unsigned i = 0; i < table->count; i++) {
        render_column(table, i);
    }
    end_line(table);
    put(table, "%-*s", NAME_WIDTH, "");
    for (unsigned i = 0; i < table->count; i++) {
        put(table, "%*c%*s", VALUE_WIDTH, letter(i), RATIO_WIDTH, "");
    }
    end_line(table);
}

/* ---- rows ---------------------------------------------------------------------------- */

/* " x0.987", or with a star when the two cannot be compared; of values of different units none. */
static void render_ratio(struct table *table, const struct side_row *row, unsigned column,
                         const struct side_cell *first, const struct side_cell *cell) {
    unsigned differ = side_differs(table->columns[0], table->columns[column]) & row->depends;
    char ratio[32] = "";

    if (strcmp(first->unit, cell->unit) == 0 && first->value > 0) {
        double value = cell->value / first->value;
        snprintf(ratio, sizeof ratio, "x%.*f", value < 10 ? 3 : value < 100 ? 2 : 0, value);
    }
    table->marked |= differ;
    put(table, "%*s%c", RATIO_WIDTH - 1, ratio, differ != 0 ? '*' : ' ');
}

static void render_cell(struct table *table, const struct side_row *row, unsigned column,
                        const struct side_cell *first, const struct side_cell *cell) {
    char value[64];

    if (cell->reason != NULL) {
        put(table, "%*s%*s", VALUE_WIDTH, cell->reason, RATIO_WIDTH, "");
        return;
    }
    snprintf(value, sizeof value, "%.*f%s", row->decimals, cell->value * row->scale, cell->unit);
    put(table, "%*s", VALUE_WIDTH, value);
    if (column == 0 || first->reason != NULL) {
        put(table, "%*s", RATIO_WIDTH, "");
    } else {
        render_ratio(table, row, column, first, cell);
    }
}

/* A row of which no plan knows anything is left out, and a heading goes with its first row. */
static void render_rows(struct table *table) {
    const char *title = NULL;

    for (size_t i = 0; i < ROWS; i++) {
        struct side_cell cells[SIDE_COLUMNS];
        bool there = false;

        title = rows[i].title != NULL ? rows[i].title : title;
        for (unsigned column = 0; column < table->count; column++) {
            cells[column] = rows[i].cell(table->columns[column], &rows[i]);
            there |=
                cells[column].reason == NULL || strcmp(cells[column].reason, SIDE_NOT_PLANNED) != 0;
        }
        if (!there) {
            continue;
        }
        if (title != NULL) {
            put(table, "%s", title);
            end_line(table);
            title = NULL;
        }
        put(table, "  %-*s", NAME_WIDTH - 2, rows[i].name);
        for (unsigned column = 0; column < table->count; column++) {
            render_cell(table, &rows[i], column, &cells[0], &cells[column]);
        }
        end_line(table);
    }
}

/* ---- foot ---------------------------------------------------------------------------- */

/* A fact of which two columns differ, if it decides over a ratio that was marked. */
static void render_fact(struct table *table, const struct side_fact *fact) {
    char text[SIDE_TEXT_BYTES];
    bool differs = false;

    for (unsigned i = 1; i < table->count; i++) {
        differs |= side_fact_differs(fact, table->columns[0], table->columns[i]);
    }
    if (!differs || (fact->decides & table->marked) == 0) {
        return;
    }
    put(table, "  %-*s", NAME_WIDTH - 2, fact->name);
    for (unsigned i = 0; i < table->count; i++) {
        fact->text(table->columns[i], fact, text);
        put(table, "%*s%*s", VALUE_WIDTH, text, RATIO_WIDTH, "");
    }
    end_line(table);
}

static void render_marks(struct table *table) {
    if (table->marked == 0) {
        return;
    }
    put(table, "* not to be compared with column A, because these differ");
    end_line(table);
    for (size_t i = 0; i < side_fact_count; i++) {
        render_fact(table, &side_facts[i]);
    }
}

/* Why steps have no result; a reason that follows itself is not repeated. */
static void render_failures(const struct table *table, unsigned column) {
    const char *latest = "";
    size_t index;
    json_t *step;

    json_array_foreach(json_object_get(table->columns[column], "steps"), index, step) {
        const char *reason = text_of(step, "reason");

        if (reason[0] != '\0' && strcmp(reason, latest) != 0) {
            fprintf(table->out, "%c  %s: %s\n", letter(column), text_of(step, "step"), reason);
            latest = reason;
        }
    }
}

void render_side(const json_t *documents, FILE *out) {
    struct table table = {.out = out};
    size_t index;
    json_t *document;

    json_array_foreach(documents, index, document) {
        if (table.count < SIDE_COLUMNS) {
            table.columns[table.count++] = json_object_get(document, "result");
        }
    }
    render_heading(&table);
    render_rows(&table);
    render_marks(&table);
    for (unsigned i = 0; i < table.count; i++) {
        render_failures(&table, i);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The console command `timing`: a table for people, one object a row for programs. */
#include <string.h>

#include "nd/fmt.h"
#include "nd/timing.h"

/* Widths of the table's columns; a wider entry pushes the rest of its line. */
#define NAME_WIDTH 14u
#define WIDTH      11u

/* What one row comes to. Averages are in hundredths. */
struct figures {
    uint64_t cost;
    uint64_t net;
    uint64_t average;
    uint64_t net_average;
};

static struct figures work_out(const struct nd_timing *timing, const struct nd_timing_row *row) {
    struct figures result = {.cost = nd_timing_cost(timing, row)};

    result.net = row->total - result.cost;
    result.average = nd_fmt_muldiv(row->total, 100u, row->count);
    result.net_average = nd_fmt_muldiv(result.net, 100u, row->count);
    return result;
}

/* ---- for people ---------------------------------------------------------------------- */

/* Blanks until this column of the line; at least one. */
static void tab(struct nd_fmt *out, size_t column) {
    do {
        nd_fmt_char(out, ' ');
    } while (nd_fmt_length(out) < column && !out->cut);
}

/* A number at the right of its column: value / 10^decimals. */
static void cell(struct nd_fmt *out, size_t *column, uint64_t value, unsigned decimals) {
    char digits[32];
    struct nd_fmt number;

    nd_fmt_init(&number, digits, sizeof digits);
    nd_fmt_fixed(&number, value, decimals);
    *column += WIDTH;
    tab(out, *column - nd_fmt_length(&number));
    for (size_t i = 0; i < nd_fmt_length(&number); i++) {
        nd_fmt_char(out, digits[i]);
    }
}

static void head_cell(struct nd_fmt *out, size_t *column, const char *title) {
    *column += WIDTH;
    tab(out, *column - strlen(title));
    nd_fmt_text(out, title);
}

static void tell_head(struct nd_console *console) {
    static const char *const titles[] = {"count",   "min",  "max", "total",
                                         "average", "cost", "net", "net avg"};
    struct nd_fmt out;
    size_t column = NAME_WIDTH;

    nd_console_begin(console, &out, "timing");
    nd_fmt_text(&out, "row");
    for (unsigned i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        head_cell(&out, &column, titles[i]);
    }
    nd_fmt_text(&out, "  sites seen, missed, by");
    nd_console_end(console, &out);
}

/* A number of sites, or why it is not known. */
static void sites_text(struct nd_fmt *out, int32_t sites) {
    const char *absent = nd_absent_name(sites);

    if (absent != NULL) {
        nd_fmt_text(out, absent);
    } else {
        nd_fmt_i64(out, sites);
    }
}

static void figures_text(struct nd_fmt *out, const struct nd_timing *timing,
                         const struct nd_timing_row *row, size_t column) {
    const struct figures figures = work_out(timing, row);

    cell(out, &column, row->min, 0);
    cell(out, &column, row->max, 0);
    cell(out, &column, row->total, 0);
    cell(out, &column, figures.average, 2);
    cell(out, &column, figures.cost, 0);
    cell(out, &column, figures.net, 0);
    cell(out, &column, figures.net_average, 2);
}

static void parts_text(struct nd_fmt *out, const struct nd_timing_row *row) {
    for (uint32_t i = 0; i < row->part_count; i++) {
        nd_fmt_text(out, i == 0 ? " (" : ", ");
        nd_fmt_text(out, row->parts[i].name);
        nd_fmt_char(out, ' ');
        if (row->parts[i].sites == ND_NOT_BUILT) {
            nd_fmt_text(out, "not built in");
        } else {
            sites_text(out, row->parts[i].sites);
        }
    }
    if (row->part_count > 0) {
        nd_fmt_char(out, ')');
    }
}

static void row_text(struct nd_fmt *out, const struct nd_timing *timing,
                     const struct nd_timing_row *row) {
    size_t column = NAME_WIDTH;

    nd_fmt_text(out, row->name);
    if (row->state == ND_NOT_BUILT) {
        tab(out, column + 1u);
        nd_fmt_text(out, "not built in");
    } else if (row->state != ND_OK) {
        tab(out, column + 1u);
        nd_fmt_text(out, "not hooked: the probe never fired");
    } else {
        cell(out, &column, row->count, 0);
        if (row->count > 0) {
            figures_text(out, timing, row, column);
        } else {
            nd_fmt_text(out, "  no samples");
        }
    }
    nd_fmt_text(out, "  ");
    sites_text(out, row->sites_seen);
    nd_fmt_text(out, ", ");
    sites_text(out, row->sites_missed);
    nd_fmt_text(out, ", ");
    nd_fmt_text(out, nd_timing_tier_name(row->tier));
    parts_text(out, row);
}

static void clock_text(struct nd_fmt *out, const struct nd_timing *timing) {
    nd_fmt_text(out, "timing in ticks of ");
    nd_fmt_text(out, timing->clock->name);
    nd_fmt_text(out, " (");
    nd_fmt_text(out, nd_clock_kind_name(timing->clock->kind));
    nd_fmt_text(out, ", ");
    nd_fmt_u64(out, timing->clock->hz);
    nd_fmt_text(out, " Hz); a probe costs ");
    nd_fmt_fixed(out, nd_fmt_muldiv(timing->inside_ticks, 100u, ND_TIMING_TRIALS), 2);
    nd_fmt_text(out, " in its own row and ");
    nd_fmt_fixed(out, nd_fmt_muldiv(timing->around_ticks, 100u, ND_TIMING_TRIALS), 2);
    nd_fmt_text(out, " in one around it");
    if (timing->too_deep > 0) {
        nd_fmt_text(out, "; not timed, too deep: ");
        nd_fmt_u64(out, timing->too_deep);
    }
}

/* ---- for programs -------------------------------------------------------------------- */

static void clock_json(struct nd_fmt *out, const struct nd_timing *timing) {
    nd_json_text(out, "clock", timing->clock->name);
    nd_json_text(out, "tick", nd_clock_kind_name(timing->clock->kind));
    nd_json_u64(out, "clock_hz", timing->clock->hz);
    nd_json_fixed(out, "inside_ticks", nd_fmt_muldiv(timing->inside_ticks, 100u, ND_TIMING_TRIALS),
                  2);
    nd_json_fixed(out, "around_ticks", nd_fmt_muldiv(timing->around_ticks, 100u, ND_TIMING_TRIALS),
                  2);
    nd_json_u64(out, "too_deep", timing->too_deep);
}

static void sites_json(struct nd_fmt *out, const struct nd_timing_row *row) {
    if (row->function != NULL && row->probe != NULL) {
        nd_json_text(out, "function", row->function);
        nd_json_text(out, "probe", row->probe);
    }
    nd_json_text(out, "tier", nd_timing_tier_name(row->tier));
    nd_json_value(out, "sites_seen", row->sites_seen);
    nd_json_value(out, "sites_missed", row->sites_missed);
    if (row->part_count > 0) {
        nd_json_open_key(out, "part_sites");
        for (uint32_t i = 0; i < row->part_count; i++) {
            nd_json_value(out, row->parts[i].name, row->parts[i].sites);
        }
        nd_json_close(out);
    }
}

static void row_json(struct nd_fmt *out, const struct nd_timing *timing,
                     const struct nd_timing_row *row) {
    nd_json_text(out, "name", row->name);
    nd_json_value(out, "count", nd_timing_count(row));
    if (row->state == ND_OK && row->count > 0) {
        const struct figures figures = work_out(timing, row);
        nd_json_u64(out, "min_ticks", row->min);
        nd_json_u64(out, "max_ticks", row->max);
        nd_json_u64(out, "total_ticks", row->total);
        nd_json_fixed(out, "average_ticks", figures.average, 2);
        nd_json_u64(out, "nested", row->nested);
        nd_json_u64(out, "cost_ticks", figures.cost);
        nd_json_u64(out, "net_ticks", figures.net);
        nd_json_fixed(out, "net_average_ticks", figures.net_average, 2);
    } else if (row->state == ND_OK) {
        nd_json_value(out, "average_ticks", ND_NO_SAMPLES);
    }
    sites_json(out, row);
}

/* ---- the command --------------------------------------------------------------------- */

static void tell_clock(struct nd_console *console, const struct nd_timing *timing) {
    struct nd_fmt out;

    nd_console_begin(console, &out, "timing_clock");
    if (console->json) {
        clock_json(&out, timing);
    } else {
        clock_text(&out, timing);
    }
    nd_console_end(console, &out);
}

static void tell_row(struct nd_console *console, const struct nd_timing *timing,
                     const struct nd_timing_row *row) {
    struct nd_fmt out;

    nd_console_begin(console, &out, "timing");
    if (console->json) {
        row_json(&out, timing, row);
    } else {
        row_text(&out, timing, row);
    }
    nd_console_end(console, &out);
}

static int run(struct nd_command *self, struct nd_console *console, unsigned step) {
    struct nd_timing *timing = (struct nd_timing *)self->ctx;

    if (console->argc == 2 && strcmp(console->argv[1], "reset") == 0) {
        nd_timing_reset(timing);
        return ND_OK;
    }
    if (console->argc != 1) {
        console->message = "expected nothing or reset";
        return ND_E_ARG;
    }
    if (step == 0) {
        tell_clock(console, timing);
    } else if (step == 1) {
        if (!console->json) {
            tell_head(console);
        }
    } else if (step - 2u < timing->row_count) {
        tell_row(console, timing, &timing->rows[step - 2u]);
    } else {
        return ND_OK;
    }
    return ND_AGAIN;
}

void nd_timing_command(struct nd_command *command, struct nd_timing *timing) {
    command->name = "timing";
    command->usage = "timing [reset]: where the time goes, by probe";
    command->run = run;
    command->ctx = timing;
}

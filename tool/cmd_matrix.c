/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_matrix.c - one target built and measured with every combination of some options. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "image_build.h"
#include "matrix_cells.h"
#include "matrix_front.h"
#include "plan.h"
#include "render.h"
#include "result.h"
#include "say.h"
#include "settings.h"
#include "signals.h"

struct options {
    struct opt_list vary;
    struct opt_list with;
    const char *plan;
    struct opt_list set;
    uint64_t jobs;
    const char *source;
    const char *cache;
    const char *json;
};

#define AT(member) offsetof(struct options, member)

static const struct opt rows[] = {
    OPT_ROW_LIST('v', "vary", "KEY=V,V...", AT(vary), "an option and its values; repeat for more"),
    OPT_ROW_LIST('w', "with", "KEY=VALUE", AT(with), "an option of every image; may be repeated"),
    OPT_ROW_TEXT(0, "plan", "NAME", AT(plan), "what to measure, as of run [tcp]"),
    OPT_ROW_LIST(0, "set", "KEY=VALUE", AT(set), "change a setting, as of run; may be repeated"),
    OPT_ROW_NUMBER('j', "jobs", "N", AT(jobs), UNITS_COUNT, 0, 0, 64,
                   "at once; 0 = as many as processors"),
    OPT_ROW_TEXT(0, "source", "DIR", AT(source), "netdyno's source tree [this program's]"),
    OPT_ROW_TEXT(0, "cache", "DIR", AT(cache), "of the builds [netdyno/images in ~/.cache]"),
    OPT_ROW_TEXT(0, "json", "FILE", AT(json), "write the result document, - = stdout"),
    OPT_ROW_END,
};

/* A target's image and board, cut from its name. */
struct name {
    char image[64];
    char board[64];
};

/* "sim:IMAGE@BOARD" or "native:IMAGE". */
static bool cut_name(const char *target, struct name *name) {
    char rest;

    if (sscanf(target, "native:%63[a-z0-9-]%c", name->image, &rest) == 1) {
        strcpy(name->board, "native");
        return true;
    }
    return sscanf(target, "sim:%63[a-z0-9-]@%63[a-z0-9-]%c", name->image, name->board, &rest) == 2;
}

static int check_with(const struct opt_list *with) {
    for (unsigned i = 0; i < with->count; i++) {
        const char *wrong = image_build_check(with->items[i]);
        if (wrong != NULL) {
            return say_usage("matrix", "--with %s: %s", with->items[i], wrong);
        }
    }
    return SAY_DONE;
}

static int check_set(const struct opt_list *set, struct settings *settings) {
    settings_init(settings);
    for (unsigned i = 0; i < set->count; i++) {
        if (!settings_set(settings, "matrix", set->items[i])) {
            return SAY_USAGE;
        }
    }
    return SAY_DONE;
}

static unsigned count_failures(const json_t *cells) {
    unsigned count = 0;
    size_t index;
    json_t *cell;

    json_array_foreach((json_t *)cells, index, cell) {
        count += strcmp(json_string_value(json_object_get(cell, "status")), "ok") != 0;
    }
    return count;
}

static int finish(struct result *result, const struct options *options, json_t *cells) {
    unsigned failures = count_failures(cells);
    int code = failures > 0 ? SAY_FAILED : SAY_DONE;

    matrix_front_mark(cells);
    json_object_set_new(result->result, "cells", cells);
    result_finish(result);
    if (options->json == NULL || strcmp(options->json, "-") != 0) {
        render_matrix(result->root, stdout);
    }
    if (options->json != NULL && result_write(result->root, options->json) != 0) {
        code = SAY_FAILED;
    }
    if (failures > 0) {
        say_error("%u of %zu cells have no result; their reasons are in the table", failures,
                  json_array_size(cells));
    }
    return code;
}

static int measure(struct matrix_cells *cells, const struct options *options,
                   const struct settings *settings) {
    struct result result;
    json_t *found;
    int code = SAY_FAILED;

    result_begin(&result, cells->target, cells->plan);
    settings_describe(settings, result.result);
    json_object_del(result.result, "steps"); /* each cell has its own */
    found = matrix_cells_measure(cells);
    if (found != NULL) {
        code = finish(&result, options, found);
    }
    result_end(&result);
    return code;
}

static int run(const void *ctx, const struct opt_list *operands) {
    const struct options *options = ctx;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct name name;
    struct matrix_grid grid;
    struct settings settings;
    struct matrix_cells cells = {
        .grid = &grid,
        .target = operands->items[0],
        .image = name.image,
        .board = name.board,
        .plan = options->plan != NULL ? options->plan : "tcp",
        .with = &options->with,
        .set = &options->set,
        .source = options->source,
        .cache = options->cache,
        .jobs = options->jobs > 0 ? (unsigned)options->jobs : (unsigned)processors,
    };
    int code = SAY_USAGE;

    if (!cut_name(cells.target, &name)) {
        return say_usage("matrix", "target %s: expected sim:STACK@BOARD or native:STACK",
                         cells.target);
    }
    if (plan_find(cells.plan) == NULL) {
        return say_usage("matrix", "--plan %s: expected one of: %s", cells.plan, plan_names());
    }
    if (check_with(&options->with) != SAY_DONE || check_set(&options->set, &settings) != SAY_DONE) {
        return SAY_USAGE;
    }
    if (matrix_grid_read(&grid, "matrix", &options->vary)) {
        code = signals_exit(measure(&cells, options, &settings));
    }
    matrix_grid_free(&grid);
    return code;
}

const struct command cmd_matrix = {
    .name = "matrix",
    .summary = "Build and measure every combination of options",
    .operands = "TARGET",
    .operands_min = 1,
    .operands_max = 1,
    .options = rows,
    .options_size = sizeof(struct options),
    .notes = "The target is a simulated board, sim:STACK@BOARD, or native:STACK. Every\n"
             "combination is an image of its own, built from netdyno's sources and kept in\n"
             "the cache. Keys:\n" IMAGE_BUILD_KEYS ".\n"
             "A * marks the frontier: no other cell has less work per byte, flash and RAM.\n"
             "A cell that fails leaves the others; the exit code is then 1.",
    .run = run,
};

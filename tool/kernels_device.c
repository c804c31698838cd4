/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of a device, by its console command `kernels` (nd/kernel_command.h). */
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "console_client.h"
#include "nd/error.h"
#include "result.h"

/* Calls of one timing: a simulated board's differ by nothing, a real board's average out. */
enum { CALLS = 4 };

struct state {
    struct console_client console;
};

/* This end has no engines. */
static bool rest(void *ctx) {
    (void)ctx;
    return false;
}

static int64_t number_of(const json_t *object, const char *key) {
    return json_integer_value(json_object_get(object, key));
}

/* "" when the device sent none. */
static const char *text_of(const json_t *object, const char *key) {
    const char *text = json_string_value(json_object_get(object, key));

    return text != NULL ? text : "";
}

static bool is_kind(const json_t *object, const char *kind) {
    return strcmp(text_of(object, "kind"), kind) == 0;
}

static int prove(struct kernels *kernels, unsigned row, const struct nd_kernel_case *at,
                 int32_t *wrong) {
    struct state *state = kernels->state;
    json_t *items;
    int result = console_client_run(&state->console, &items, "kernels prove %u %u %u %zu", row,
                                    at->src_align, at->dst_align, at->len);

    if (result != ND_OK) {
        return result;
    }
    *wrong =
        json_array_size(items) == 0 ? -1 : (int32_t)number_of(json_array_get(items, 0), "bytes");
    json_decref(items);
    return ND_OK;
}

/* The clock is what the device says; it is the same for every routine. */
static void take_clock(struct kernels *kernels, const json_t *item) {
    static const char *const ticks[] = {"cycle", "instruction", "time"};
    const char *tick = text_of(item, "tick");

    for (size_t i = 0; i < sizeof ticks / sizeof *ticks; i++) {
        if (strcmp(tick, ticks[i]) == 0) {
            kernels->tick = ticks[i];
        }
    }
    kernels->hz = (uint64_t)number_of(item, "hz");
}

static int take_time(struct kernels *kernels, unsigned row, const struct nd_kernel_case *at,
                     struct kernels_time *time, int32_t *wrong) {
    struct state *state = kernels->state;
    json_t *items;
    const json_t *item;
    int result = console_client_run(&state->console, &items, "kernels time %u %u %u %zu %u", row,
                                    at->src_align, at->dst_align, at->len, (unsigned)CALLS);

    if (result != ND_OK) {
        return result;
    }
    item = json_array_get(items, 0);
    if (is_kind(item, "kernel_time")) {
        *wrong = -1;
        *time = (struct kernels_time){.ticks = (uint64_t)number_of(item, "ticks"),
                                      .calls = (uint64_t)number_of(item, "calls")};
        take_clock(kernels, item);
        if (kernels->tick == NULL) {
            result = target_fail(&kernels->target, ND_E_PROTOCOL,
                                 "the device did not say what its ticks are");
        }
    } else if (is_kind(item, "kernel_wrong")) {
        *wrong = (int32_t)number_of(item, "bytes");
    } else {
        result = target_fail(&kernels->target, ND_E_PROTOCOL,
                             "the device did not say how long kernel %u takes", row);
    }
    json_decref(items);
    return result;
}

static void close_device(struct kernels *kernels) {
    struct state *state = kernels->state;

    console_client_close(&state->console);
    target_close(&kernels->target);
    free(state);
    kernels->state = NULL;
}

static const struct kernels_place device = {prove, take_time, close_device};

static int read_rows(struct kernels *kernels) {
    struct state *state = kernels->state;
    json_t *items, *item;
    size_t index;
    int result = console_client_run(&state->console, &items, "kernels");

    if (result != ND_OK) {
        return result;
    }
    json_array_foreach(items, index, item) {
        if (kernels->count < KERNELS_ROWS) {
            struct kernels_row *row = &kernels->rows[kernels->count++];

            snprintf(row->what, sizeof row->what, "%s", text_of(item, "what"));
            snprintf(row->name, sizeof row->name, "%s", text_of(item, "name"));
            row->ours = json_is_true(json_object_get(item, "ours"));
        }
    }
    json_decref(items);
    return ND_OK;
}

int kernels_open_device(struct kernels *kernels, const struct target_cfg *cfg) {
    struct target_cfg own = *cfg;
    struct state *state = calloc(1, sizeof *state);
    int result;

    *kernels = (struct kernels){.place = &device, .state = state};
    if (state == NULL) {
        return target_fail(&kernels->target, ND_E_MEMORY, "out of memory");
    }
    own.poll = rest;
    result = target_open(&kernels->target, &own);
    if (result != ND_OK) {
        free(state);
        return result;
    }
    result = console_client_open(&state->console, &kernels->target);
    if (result == ND_OK) {
        result = read_rows(kernels);
    }
    if (result != ND_OK) {
        close_device(kernels);
    }
    return result;
}

void kernels_describe(struct kernels *kernels, const struct target_cfg *cfg, json_t *result) {
    struct state *state = kernels->state;
    json_t *items, *item, *facts;
    size_t index;

    if (kernels->place != &device) {
        return;
    }
    target_describe(&kernels->target, cfg, result);
    if (console_client_run(&state->console, &items, "config") != ND_OK) {
        return;
    }
    facts = json_object();
    json_array_foreach(items, index, item) {
        result_take_item(facts, item);
    }
    json_object_set_new(result, "config", facts);
    json_decref(items);
}

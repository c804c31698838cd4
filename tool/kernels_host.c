/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of this machine, in this process. */
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "nd/error.h"
#include "others.h"

/* A series of calls takes so long, or longer [ns]; the least of so many series counts, since others
 * use this machine, too. */
enum { SERIES_NS = 10000, ROUNDS = 31 };

struct state {
    struct nd_kernel_room room;
    const struct nd_kernel *kernels[KERNELS_ROWS];
};

static uint64_t now_ns(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t series_ns(enum nd_kernel_kind kind, const struct nd_kernel *kernel,
                          struct nd_kernel_room *room, const struct nd_kernel_case *at,
                          uint32_t calls) {
    uint64_t began = now_ns();

    nd_kernel_call(kind, kernel, room, at, calls);
    return now_ns() - began;
}

static uint64_t least_ns(enum nd_kernel_kind kind, const struct nd_kernel *kernel,
                         struct nd_kernel_room *room, const struct nd_kernel_case *at,
                         uint32_t calls) {
    uint64_t least = UINT64_MAX;

    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t took = series_ns(kind, kernel, room, at, calls);

        least = took < least ? took : least;
    }
    return least;
}

static int prove(struct kernels *kernels, unsigned row, const struct nd_kernel_case *at,
                 int32_t *wrong) {
    struct state *state = kernels->state;

    nd_kernel_room_fill(&state->room, 1);
    *wrong = nd_kernel_prove(state->kernels[row], &state->room, at);
    if (*wrong < 0 && at->src_align == 0) {
        nd_kernel_room_fill_ones(&state->room);
        *wrong = nd_kernel_prove(state->kernels[row], &state->room, at);
    }
    return ND_OK;
}

static int take_time(struct kernels *kernels, unsigned row, const struct nd_kernel_case *at,
                     struct kernels_time *time, int32_t *wrong) {
    struct state *state = kernels->state;
    const struct nd_kernel *kernel = state->kernels[row];
    uint32_t calls = 8;
    uint64_t work, calling;

    nd_kernel_room_fill(&state->room, 1);
    *wrong = nd_kernel_prove_one(kernel, &state->room, at);
    if (*wrong >= 0) {
        return ND_OK;
    }
    while (series_ns(kernel->kind, kernel, &state->room, at, calls) < SERIES_NS) {
        calls *= 2;
    }
    work = least_ns(kernel->kind, kernel, &state->room, at, calls);
    calling = least_ns(kernel->kind, NULL, &state->room, at, calls);
    *time = (struct kernels_time){.ticks = work > calling ? work - calling : 0, .calls = calls};
    return ND_OK;
}

static void close_host(struct kernels *kernels) {
    free(kernels->state);
    kernels->state = NULL;
}

static const struct kernels_place host = {prove, take_time, close_host};

static void add_rows(struct kernels *kernels, const struct nd_kernel *rows, unsigned count,
                     bool ours) {
    struct state *state = kernels->state;

    for (unsigned i = 0; i < count && kernels->count < KERNELS_ROWS; i++) {
        struct kernels_row *row = &kernels->rows[kernels->count];

        snprintf(row->what, sizeof row->what, "%s", nd_kernel_kind_name(rows[i].kind));
        snprintf(row->name, sizeof row->name, "%s", rows[i].name);
        row->ours = ours;
        state->kernels[kernels->count++] = &rows[i];
    }
}

int kernels_open_host(struct kernels *kernels) {
    const struct nd_kernel *rows;
    unsigned count;

    *kernels = (struct kernels){.place = &host, .tick = "time", .hz = 1000000000u};
    kernels->state = calloc(1, sizeof(struct state));
    if (kernels->state == NULL) {
        return target_fail(&kernels->target, ND_E_MEMORY, "out of memory");
    }
    rows = nd_kernels(&count);
    add_rows(kernels, rows, count, true);
    rows = nd_kernel_others(&count);
    add_rows(kernels, rows, count, false);
    return ND_OK;
}

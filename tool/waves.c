/* SPDX-License-Identifier: BSD-3-Clause */
#include "waves.h"

#include <stdlib.h>

static int compare(const void *a, const void *b) {
    const struct wave_edge *left = a;
    const struct wave_edge *right = b;

    if (left->at_ns != right->at_ns) {
        return left->at_ns < right->at_ns ? -1 : 1;
    }
    return left->signal < right->signal ? -1 : left->signal > right->signal;
}

int waves_make(struct waves *waves, const struct timeline *timeline) {
    size_t count = 0;

    *waves = (struct waves){
        .edges = calloc(2 * timeline->slice_count + 1, sizeof *waves->edges),
        .signal_count = timeline->signal_count,
        .length_ns = timeline->length_ns,
    };
    if (waves->edges == NULL) {
        return -1;
    }
    for (size_t i = 0; i < timeline->slice_count; i++) {
        const struct timeline_slice *slice = &timeline->slices[i];

        waves->edges[count++] = (struct wave_edge){slice->begin_ns, slice->signal, 1};
        waves->edges[count++] = (struct wave_edge){slice->end_ns, slice->signal, -1};
    }
    qsort(waves->edges, count, sizeof *waves->edges, compare);
    waves->edge_count = count;
    return 0;
}

/* The sum of the steps of one signal at one instant, from an edge on; *next is the edge behind. */
static int32_t step_at(const struct waves *waves, size_t from, size_t *next) {
    const struct wave_edge *first = &waves->edges[from];
    int32_t sum = 0;

    *next = from;
    while (*next < waves->edge_count && compare(&waves->edges[*next], first) == 0) {
        sum += waves->edges[*next].step;
        (*next)++;
    }
    return sum;
}

int waves_walk(const struct waves *waves,
               void (*change)(void *ctx, uint64_t at_ns, uint32_t signal, bool high), void *ctx) {
    int32_t *open = calloc(waves->signal_count + 1, sizeof *open);
    size_t at = 0;

    if (open == NULL) {
        return -1;
    }
    for (size_t next; at < waves->edge_count && waves->edges[at].at_ns == 0; at = next) {
        open[waves->edges[at].signal] = step_at(waves, at, &next);
    }
    for (uint32_t i = 0; i < waves->signal_count; i++) {
        change(ctx, 0, i, open[i] > 0);
    }
    for (size_t next; at < waves->edge_count && waves->edges[at].at_ns < waves->length_ns;
         at = next) {
        const struct wave_edge *edge = &waves->edges[at];
        int32_t before = open[edge->signal];

        open[edge->signal] += step_at(waves, at, &next);
        if ((open[edge->signal] > 0) != (before > 0)) {
            change(ctx, edge->at_ns, edge->signal, open[edge->signal] > 0);
        }
    }
    free(open);
    return 0;
}

void waves_free(struct waves *waves) {
    free(waves->edges);
    *waves = (struct waves){0};
}

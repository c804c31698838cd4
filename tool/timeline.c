/* SPDX-License-Identifier: BSD-3-Clause */
#include "timeline.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

enum { SLICES_FIRST = 4096 };

int timeline_add_signal(struct timeline *timeline, const char *scope, const char *name) {
    size_t count = timeline->signal_count;
    struct timeline_signal *signals =
        realloc(timeline->signals, (count + 1) * sizeof *timeline->signals);

    if (signals == NULL) {
        return -1;
    }
    signals[count] = (struct timeline_signal){scope, name};
    timeline->signals = signals;
    timeline->signal_count++;
    return (int)count;
}

const char *timeline_name(const struct timeline_signal *signal, char name[TIMELINE_NAME_BYTES]) {
    snprintf(name, TIMELINE_NAME_BYTES, "%s_%s", signal->scope, signal->name);
    for (char *at = name; *at != '\0'; at++) {
        *at = isalnum((unsigned char)*at) ? *at : '_';
    }
    return name;
}

int64_t timeline_add_slice(struct timeline *timeline, const struct timeline_slice *slice) {
    if (timeline->slice_count == timeline->slice_room) {
        size_t room = timeline->slice_room > 0 ? 2 * timeline->slice_room : SLICES_FIRST;
        struct timeline_slice *slices = realloc(timeline->slices, room * sizeof *slices);

        if (slices == NULL) {
            return -1;
        }
        timeline->slices = slices;
        timeline->slice_room = room;
    }
    timeline->slices[timeline->slice_count] = *slice;
    timeline->slices[timeline->slice_count].number = (uint32_t)timeline->slice_count;
    return (int64_t)timeline->slice_count++;
}

static int compare_numbers(uint64_t left, uint64_t right) {
    return left < right ? -1 : left > right;
}

static int compare(const void *a, const void *b) {
    const struct timeline_slice *left = a;
    const struct timeline_slice *right = b;
    int order = compare_numbers(left->signal, right->signal);

    if (order == 0) {
        order = compare_numbers(left->begin_ns, right->begin_ns);
    }
    if (order == 0) {
        order = compare_numbers(right->end_ns, left->end_ns);
    }
    return order != 0 ? order : compare_numbers(left->number, right->number);
}

void timeline_sort(struct timeline *timeline) {
    if (timeline->slice_count > 0) {
        qsort(timeline->slices, timeline->slice_count, sizeof *timeline->slices, compare);
    }
}

void timeline_free(struct timeline *timeline) {
    free(timeline->signals);
    free(timeline->slices);
    *timeline = (struct timeline){0};
}

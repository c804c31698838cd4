/* SPDX-License-Identifier: BSD-3-Clause */
/* timeline.h - what happened in a window of time: named signals, and the slices in which each is
 * high. The slices of one signal follow each other or nest. */
#ifndef ND_TOOL_TIMELINE_H
#define ND_TOOL_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

#include "trace.h"

/* Room for a signal's whole name [byte]. */
#define TIMELINE_NAME_BYTES 128

/* A lane of the picture. Texts outlive the timeline. */
struct timeline_signal {
    const char *scope;
    const char *name;
};

/* Times count from the window's begin [ns]. */
struct timeline_slice {
    uint64_t begin_ns;
    uint64_t end_ns;
    uint32_t signal;
    uint32_t number;                  /* in the order in which they were added */
    const char *name;                 /* what happened; outlives the timeline */
    const struct nd_sim_frame *frame; /* the same, of a frame on the wire; NULL = it is none */
};

/* Owner: the caller. All zero is empty. */
struct timeline {
    struct timeline_signal *signals;
    size_t signal_count;
    struct timeline_slice *slices;
    size_t slice_count;
    size_t slice_room;
    uint64_t length_ns;
};

/* Add a signal; its number, or -1 without memory. */
int timeline_add_signal(struct timeline *timeline, const char *scope, const char *name);

/* The whole name of a signal, scope_name, of letters, digits and underscores, which every reader of
 * waveforms takes. Returns name. */
const char *timeline_name(const struct timeline_signal *signal, char name[TIMELINE_NAME_BYTES]);

/* Add a slice, whose number is given here; its index, or -1 without memory. */
int64_t timeline_add_slice(struct timeline *timeline, const struct timeline_slice *slice);

/* Sort them: by signal, then begin, and of those at one instant the outer one first, which was
 * added first. */
void timeline_sort(struct timeline *timeline);

void timeline_free(struct timeline *timeline);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* waves.h - a timeline as a logic analyser shows it: every change of a level, in order. */
#ifndef ND_TOOL_WAVES_H
#define ND_TOOL_WAVES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "timeline.h"

/* Owner: the caller. */
struct waves {
    struct wave_edge {
        uint64_t at_ns;
        uint32_t signal;
        int32_t step; /* +1: a slice begins; -1: one ends */
    } * edges;
    size_t edge_count;
    size_t signal_count;
    uint64_t length_ns;
};

/* 0, or -1 without memory. */
int waves_make(struct waves *waves, const struct timeline *timeline);

/* Tell every change, by time, then by signal; at time 0 the level of every signal. A signal is high
 * while it is in one slice or more. What ends with the window is no change. 0, or -1 without
 * memory. */
int waves_walk(const struct waves *waves,
               void (*change)(void *ctx, uint64_t at_ns, uint32_t signal, bool high), void *ctx);

void waves_free(struct waves *waves);

#endif

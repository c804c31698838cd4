/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/timing.h"

#include "nd/fmt.h"

/* Never put in place of a call: the calibration below must meet what the probes call. */
ND_TIMING_CODE __attribute__((noinline)) void nd_timing_enter(struct nd_timing *timing) {
    if (timing->depth < ND_TIMING_DEPTH) {
        struct nd_timing_mark *mark = &timing->marks[timing->depth];
        mark->fired = timing->fired;
        mark->start = nd_clock_read(timing->clock);
    }
    timing->depth++;
}

ND_TIMING_CODE __attribute__((noinline)) void nd_timing_leave(struct nd_timing *timing,
                                                              struct nd_timing_row *row) {
    uint32_t end = nd_clock_read(timing->clock);

    timing->depth--;
    if (timing->depth >= ND_TIMING_DEPTH) {
        timing->too_deep++;
        return;
    }
    const struct nd_timing_mark *mark = &timing->marks[timing->depth];
    uint32_t elapsed = nd_clock_elapsed(timing->clock, mark->start, end);
    row->nested += timing->fired - mark->fired;
    timing->fired++;
    row->total += elapsed;
    if (row->count == 0 || elapsed < row->min) {
        row->min = elapsed;
    }
    if (row->count == 0 || elapsed > row->max) {
        row->max = elapsed;
    }
    row->count++;
}

static void forget(struct nd_timing_row *row) {
    row->count = 0;
    row->total = 0;
    row->nested = 0;
    row->min = 0;
    row->max = 0;
}

void nd_timing_reset(struct nd_timing *timing) {
    for (uint32_t i = 0; i < timing->row_count; i++) {
        forget(&timing->rows[i]);
    }
    timing->too_deep = 0;
}

__attribute__((noinline)) void nd_timing_nothing(void) {
    __asm__ volatile("");
}

/* Called as the probed function would be, so that the way there and back counts, too. */
ND_TIMING_CODE __attribute__((noinline)) static void plain_sample(struct nd_timing *timing,
                                                                  struct nd_timing_row *row) {
    nd_timing_enter(timing);
    nd_timing_nothing();
    nd_timing_leave(timing, row);
}

void nd_timing_calibrate(struct nd_timing *timing, const struct nd_clock *clock,
                         void (*sample)(struct nd_timing *timing, struct nd_timing_row *row)) {
    struct nd_timing_row inner = {.name = NULL};
    struct nd_timing_row outer = {.name = NULL};

    timing->clock = clock;
    for (unsigned i = 0; i < ND_TIMING_TRIALS; i++) {
        nd_timing_enter(timing);
        (sample != NULL ? sample : plain_sample)(timing, &inner);
        nd_timing_leave(timing, &outer);
    }
    timing->inside_ticks = (uint32_t)inner.total;
    timing->around_ticks = (uint32_t)(outer.total - inner.total);
}

uint64_t nd_timing_cost(const struct nd_timing *timing, const struct nd_timing_row *row) {
    uint64_t cost = nd_fmt_muldiv(row->count, timing->inside_ticks, ND_TIMING_TRIALS) +
                    nd_fmt_muldiv(row->nested, timing->around_ticks, ND_TIMING_TRIALS);

    return cost < row->total ? cost : row->total;
}

int64_t nd_timing_count(const struct nd_timing_row *row) {
    return row->state == ND_OK ? (int64_t)row->count : row->state;
}

const char *nd_timing_tier_name(enum nd_timing_tier tier) {
    switch (tier) {
    case ND_TIMING_MACRO:
        return "macro";
    case ND_TIMING_WRAP:
        return "wrap";
    case ND_TIMING_POINTER:
        return "pointer";
    }
    return "unknown";
}

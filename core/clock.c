/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/clock.h"

#include <stddef.h>

#define NS_PER_S 1000000000u

bool nd_clock_valid(const struct nd_clock *clock) {
    return clock != NULL && (clock->counter != NULL || clock->read != NULL) &&
           clock->name != NULL && clock->hz > 0 && clock->bits >= 1 && clock->bits <= 32 &&
           clock->kind >= ND_CLOCK_CYCLES && clock->kind <= ND_CLOCK_TIME;
}

const char *nd_clock_kind_name(enum nd_clock_kind kind) {
    switch (kind) {
    case ND_CLOCK_CYCLES:
        return "cycle";
    case ND_CLOCK_INSTRUCTIONS:
        return "instruction";
    case ND_CLOCK_TIME:
        return "time";
    }
    return "unknown";
}

/* Whole seconds and the rest are scaled apart: the rest is below 2^32, so that its product with
 * 10^9 (below 2^30) stays within 64 bits. */
uint64_t nd_clock_ns(uint64_t ticks, uint32_t hz) {
    uint64_t seconds = ticks / hz;
    uint64_t rest_ns = ticks % hz * NS_PER_S / hz;

    if (seconds > (UINT64_MAX - rest_ns) / NS_PER_S) {
        return UINT64_MAX;
    }
    return seconds * NS_PER_S + rest_ns;
}

uint64_t nd_clock_ticks(uint64_t ns, uint32_t hz) {
    uint64_t seconds = ns / NS_PER_S;
    uint64_t rest_ticks = (ns % NS_PER_S * hz + (NS_PER_S - 1)) / NS_PER_S;

    if (seconds > (UINT64_MAX - rest_ticks) / hz) {
        return UINT64_MAX;
    }
    return seconds * hz + rest_ticks;
}

void nd_stopwatch_start(struct nd_stopwatch *watch, const struct nd_clock *clock) {
    watch->clock = clock;
    watch->ticks = 0;
    watch->last = nd_clock_read(clock);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* pulses.h - count, least, most and average of the pulses of a signal of one bit.
 *
 * A pulse is the time from a change to high until the next change to low. One that was high when
 * the record began, or still is when it ends, or touches an unknown level, has no length: it is in
 * `high`, and in nothing else. */
#ifndef ND_TOOL_PULSES_H
#define ND_TOOL_PULSES_H

#include <stdbool.h>
#include <stdint.h>

enum pulses_level { PULSES_UNKNOWN, PULSES_LOW, PULSES_HIGH };

/* Times in any unit. All zero is a signal of unknown level. */
struct pulses {
    uint64_t count;
    uint64_t min;
    uint64_t max;
    uint64_t total; /* of the pulses that are counted */
    uint64_t high;  /* time that it was high, all told */
    uint64_t since; /* when the level began */
    enum pulses_level level;
    bool risen; /* high, and from low */
};

/* The level is this from now on; time does not run backwards. */
void pulses_change(struct pulses *pulses, uint64_t now, enum pulses_level level);

/* The record ends. */
void pulses_end(struct pulses *pulses, uint64_t now);

/* A unit of time as a fraction of a nanosecond: num / den. Times this num, and times 100, fit in 64
 * bits. */
struct pulses_unit {
    uint64_t num;
    uint64_t den;
};

#endif

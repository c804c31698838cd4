/* SPDX-License-Identifier: BSD-3-Clause */
#include "pulses.h"

static void finish(struct pulses *pulses, uint64_t length) {
    pulses->min = pulses->count == 0 || length < pulses->min ? length : pulses->min;
    pulses->max = length > pulses->max ? length : pulses->max;
    pulses->total += length;
    pulses->count++;
}

void pulses_change(struct pulses *pulses, uint64_t now, enum pulses_level level) {
    enum pulses_level before = pulses->level;

    if (level == before) {
        return;
    }
    if (before == PULSES_HIGH) {
        pulses->high += now - pulses->since;
        if (pulses->risen && level == PULSES_LOW) {
            finish(pulses, now - pulses->since);
        }
    }
    pulses->risen = before == PULSES_LOW && level == PULSES_HIGH;
    pulses->level = level;
    pulses->since = now;
}

void pulses_end(struct pulses *pulses, uint64_t now) {
    pulses_change(pulses, now, PULSES_UNKNOWN);
}

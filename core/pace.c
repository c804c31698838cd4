/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/pace.h"

#include "nd/error.h"

int nd_pace_start(struct nd_pace *pace, uint64_t now, uint32_t hz, uint32_t amount, uint64_t rate,
                  uint32_t burst) {
    uint64_t units = (uint64_t)amount * (burst > 0 ? burst : 1);

    if (amount == 0 || units >= (uint64_t)1 << 31) {
        return ND_E_ARG;
    }
    *pace = (struct nd_pace){.rate = rate, .burst = burst > 0 ? burst : 1};
    pace->left = pace->burst;
    if (rate > 0) {
        uint64_t ticks_rate = units * hz;
        pace->due = now;
        pace->whole = ticks_rate / rate;
        pace->rest = ticks_rate % rate;
    }
    return ND_OK;
}

void nd_pace_step(struct nd_pace *pace) {
    if (--pace->left > 0) {
        return;
    }
    pace->left = pace->burst;
    pace->due += pace->whole;
    /* rest and sum are below rate: their sum, even past 2^64, is one rate too many at most. */
    uint64_t missing = pace->rate - pace->sum;
    if (pace->rest >= missing && pace->rate > 0) {
        pace->sum = pace->rest - missing;
        pace->due++;
    } else {
        pace->sum += pace->rest;
    }
}

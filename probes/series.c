/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/series.h"

void nd_series_init(struct nd_series *series, uint32_t *points, uint32_t room, uint64_t period) {
    *series = (struct nd_series){.points = points, .room = room, .period = period};
}

static void join_pairs(struct nd_series *series) {
    uint32_t *points = series->points;

    for (uint32_t i = 0; i < series->room / 2u; i++) {
        uint32_t first = points[2u * i];
        uint32_t second = points[2u * i + 1u];
        points[i] = first < second ? first : second;
    }
    series->count = series->room / 2u;
    series->period *= 2u;
}

static void end_period(struct nd_series *series) {
    series->points[series->count++] = series->least;
    series->least = series->latest;
    if (series->count == series->room) {
        join_pairs(series);
    }
    series->until += series->period;
}

void nd_series_add(struct nd_series *series, uint64_t now, uint32_t value) {
    if (!series->begun) {
        series->begun = true;
        series->start = now;
        series->until = now + series->period;
        series->least = value;
    }
    while (now >= series->until) {
        end_period(series);
    }
    if (value < series->least) {
        series->least = value;
    }
    series->latest = value;
}

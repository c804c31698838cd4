/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/series.h - a figure over time, in memory of the caller's size.
 *
 * Time is cut into periods, of which each keeps the least value that was seen in it, or the latest
 * one before where none was. When the memory is full two periods become one, and periods last twice
 * as long from then on: the whole time stays in view. One context. */
#ifndef ND_SERIES_H
#define ND_SERIES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Owner: the caller, as of the points. */
struct nd_series {
    uint32_t *points; /* least value of each period that is over */
    uint32_t room;    /* of points; even, at least 2 */
    uint32_t count;
    uint64_t start;  /* of the first period [ticks] */
    uint64_t period; /* [ticks] */
    uint64_t until;  /* end of the period that runs [ticks] */
    uint32_t least;  /* seen in it */
    uint32_t latest; /* value */
    bool begun;
};

/* Begin anew: the first value that is added begins the first period. room must be even, period
 * above 0. */
void nd_series_init(struct nd_series *series, uint32_t *points, uint32_t room, uint64_t period);

/* A value at a time that never goes back [ticks]. */
void nd_series_add(struct nd_series *series, uint64_t now, uint32_t value);

#ifdef __cplusplus
}
#endif
#endif

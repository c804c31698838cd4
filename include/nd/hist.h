/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/hist.h - a histogram of fixed size with a stated error bound.
 *
 * Buckets are linear up to 2^bits and logarithmic above: each power of two is cut into
 * 2^bits equal parts. A bucket of lower edge v is therefore at most v / 2^bits wide, so a
 * percentile read from it is at most 2^-bits (bits = 2: 25 %, bits = 7: 0.8 %) above the true
 * value and never below. Count, sum, minimum and maximum are exact.
 *
 * Values below 2^32 are told apart; larger ones are counted in `over` and still enter
 * count, sum and maximum exactly. */
#ifndef ND_HIST_H
#define ND_HIST_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Buckets that a histogram of this many bits needs: one linear run, then one run for each power of
 * two up to 2^32. bits: 0..7. */
#define ND_HIST_BUCKETS(bits) ((33u - (bits)) << (bits))

/* A histogram. Owner of this and of the buckets: the caller. Only nd_hist_* write to it. */
struct nd_hist {
    uint32_t *buckets; /* ND_HIST_BUCKETS(bits) counters */
    uint64_t count;    /* samples */
    uint64_t sum;      /* of all samples, modulo 2^64 [unit of the samples] */
    uint64_t min;      /* smallest; meaningless while count is 0 */
    uint64_t max;      /* largest; meaningless while count is 0 */
    uint32_t over;     /* samples of 2^32 and above */
    uint8_t bits;
};

/* Empty the histogram over the caller's buckets. bits: 0..7. */
void nd_hist_init(struct nd_hist *hist, uint32_t *buckets, uint8_t bits);

/* Add one sample. No division, no loop; safe in a hot path. Bucket counters stop at 2^32 - 1. */
void nd_hist_add(struct nd_hist *hist, uint64_t value);

/* The value at or below which permille / 1000 of the samples lie (990 = p99), as the upper edge
 * of its bucket, but never above the exact maximum. permille: 0..1000. Returns 0 when the
 * histogram is empty: look at count first. */
uint64_t nd_hist_percentile(const struct nd_hist *hist, unsigned permille);

/* Gaps: a histogram for hot paths, coarser and of a third of the cost. One bucket a power of two: a
 * percentile is at most twice the true value and never below; the maximum is exact. Adding is
 * inline and takes about a dozen instructions. Owner: the caller; all zero is empty. */
struct nd_gaps {
    uint32_t buckets[32]; /* [n]: values from 2^n (from 0 for n = 0) to below 2^(n+1) */
    uint32_t max;         /* largest; a larger one than 2^32 - 1 counts as that */
};

/* Add one sample. A bucket stops counting at 2^32 - 1. */
static inline void nd_gaps_add(struct nd_gaps *gaps, uint32_t value) {
    uint32_t *bucket = &gaps->buckets[31u - (uint32_t)__builtin_clz(value | 1u)];

    *bucket += *bucket != UINT32_MAX;
    if (value > gaps->max) {
        gaps->max = value;
    }
}

/* Samples in all. */
uint64_t nd_gaps_count(const struct nd_gaps *gaps);

/* As nd_hist_percentile(). */
uint64_t nd_gaps_percentile(const struct nd_gaps *gaps, unsigned permille);

#ifdef __cplusplus
}
#endif
#endif

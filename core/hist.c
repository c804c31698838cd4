/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/hist.h"

#include <stddef.h>
#include <string.h>

/* The bucket of a value. `shift` is how far the value reaches above the linear part; what is left
 * of the value after the shift keeps its leading one, which is why the first logarithmic run
 * continues the linear one without a gap. */
static uint32_t bucket_of(uint32_t value, uint8_t bits) {
    uint32_t magnitude = 31u - (uint32_t)__builtin_clz(value | 1u);
    uint32_t shift = magnitude > bits ? magnitude - bits : 0;

    return (shift << bits) + (value >> shift);
}

/* The largest value that falls into a bucket: the inverse of bucket_of(). */
static uint64_t upper_edge(uint32_t bucket, uint8_t bits) {
    uint32_t run = bucket >> bits;
    uint32_t shift = run > 1 ? run - 1 : 0;
    uint64_t head = bucket - (shift << bits);

    return ((head + 1) << shift) - 1;
}

static void count_up(uint32_t *counter) {
    if (*counter != UINT32_MAX) {
        (*counter)++;
    }
}

void nd_hist_init(struct nd_hist *hist, uint32_t *buckets, uint8_t bits) {
    *hist = (struct nd_hist){.buckets = buckets, .min = UINT64_MAX, .bits = bits};
    memset(buckets, 0, ND_HIST_BUCKETS((size_t)bits) * sizeof buckets[0]);
}

void nd_hist_add(struct nd_hist *hist, uint64_t value) {
    hist->count++;
    hist->sum += value;
    if (value < hist->min) {
        hist->min = value;
    }
    if (value > hist->max) {
        hist->max = value;
    }
    if (value > UINT32_MAX) {
        count_up(&hist->over);
    } else {
        count_up(&hist->buckets[bucket_of((uint32_t)value, hist->bits)]);
    }
}

/* How many samples the percentile must cover, at least one: count * permille / 1000 rounded up,
 * taken apart so that the product cannot wrap. */
static uint64_t rank_of(uint64_t count, unsigned permille) {
    uint64_t rank = count / 1000 * permille + (count % 1000 * permille + 999) / 1000;

    return rank > 0 ? rank : 1;
}

uint64_t nd_hist_percentile(const struct nd_hist *hist, unsigned permille) {
    uint32_t bucket_count = ND_HIST_BUCKETS((uint32_t)hist->bits);
    uint64_t rank = rank_of(hist->count, permille);
    uint64_t covered = 0;

    if (hist->count == 0) {
        return 0;
    }
    for (uint32_t i = 0; i < bucket_count; i++) {
        covered += hist->buckets[i];
        if (covered >= rank) {
            uint64_t edge = upper_edge(i, hist->bits);

            return edge < hist->max ? edge : hist->max;
        }
    }
    /* The sample lies beyond the buckets: the maximum is the one bound there is. */
    return hist->max;
}

uint64_t nd_gaps_count(const struct nd_gaps *gaps) {
    uint64_t count = 0;

    for (unsigned i = 0; i < 32; i++) {
        count += gaps->buckets[i];
    }
    return count;
}

uint64_t nd_gaps_percentile(const struct nd_gaps *gaps, unsigned permille) {
    uint64_t count = nd_gaps_count(gaps);
    uint64_t rank = rank_of(count, permille);
    unsigned i = 0;

    if (count == 0) {
        return 0;
    }
    for (uint64_t covered = gaps->buckets[0]; covered < rank; covered += gaps->buckets[i]) {
        i++;
    }
    uint64_t edge = ((uint64_t)2 << i) - 1;
    return edge < gaps->max ? edge : gaps->max;
}

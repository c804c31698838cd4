/* SPDX-License-Identifier: BSD-3-Clause */
/* unit.h - what every unit test includes: cmocka, and random numbers that can be had again. */
#ifndef ND_UNIT_H
#define ND_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

/* An oracle for arithmetic in 64 bits. */
__extension__ typedef unsigned __int128 unit_wide;

static uint64_t unit_random_state;

/* Seed from ND_TEST_SEED, or else from the clock, and say so: a failure can be run again. */
static inline void unit_seed(void) {
    const char *given = getenv("ND_TEST_SEED");

    unit_random_state = given != NULL ? strtoull(given, NULL, 0) : (uint64_t)time(NULL);
    print_message("ND_TEST_SEED=%llu\n", (unsigned long long)unit_random_state);
}

/* SplitMix64 (Steele, Lea and Flood, 2014): every seed is a good one. */
static inline uint64_t unit_random(void) {
    uint64_t z = unit_random_state += 0x9E3779B97F4A7C15u;

    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

/* Below limit (limit > 0). */
static inline uint64_t unit_random_below(uint64_t limit) {
    return unit_random() % limit;
}

/* Every magnitude as likely as another: small numbers, large ones, and 0. */
static inline uint64_t unit_random_magnitude(void) {
    uint64_t bits = unit_random_below(65);

    return bits == 0 ? 0 : unit_random() >> (64 - bits);
}

#endif

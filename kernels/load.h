/* SPDX-License-Identifier: BSD-3-Clause */
/* load.h - words at any address, as the compiler has them best. */
#ifndef ND_KERNELS_LOAD_H
#define ND_KERNELS_LOAD_H

#include <stddef.h>
#include <stdint.h>

static inline uint16_t nd__load16(const uint8_t *at) {
    uint16_t word;

    __builtin_memcpy(&word, at, sizeof word);
    return word;
}

static inline uint32_t nd__load32(const uint8_t *at) {
    uint32_t word;

    __builtin_memcpy(&word, at, sizeof word);
    return word;
}

static inline void nd__store16(uint8_t *at, uint16_t word) {
    __builtin_memcpy(at, &word, sizeof word);
}

static inline void nd__store32(uint8_t *at, uint32_t word) {
    __builtin_memcpy(at, &word, sizeof word);
}

/* At an address that is a multiple of 4. */
static inline uint32_t nd__load_word(const uint8_t *at) {
    return nd__load32(__builtin_assume_aligned(at, 4));
}

#endif

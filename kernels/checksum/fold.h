/* SPDX-License-Identifier: BSD-3-Clause */
/* fold.h - one's complement sums, from wide to 16 bit.
 *
 * 2^16 is 1 where carries come round to the lowest place, so the upper part is added to the lower.
 * A sum other than 0 never becomes 0 on the way. */
#ifndef ND_KERNELS_FOLD_H
#define ND_KERNELS_FOLD_H

#include <stdbool.h>
#include <stdint.h>

static inline uint16_t nd__swap16(uint16_t word) {
    return __builtin_bswap16(word);
}

static inline uint32_t nd__fold64(uint64_t sum) {
    sum = (sum & UINT32_MAX) + (sum >> 32);
    sum = (sum & UINT32_MAX) + (sum >> 32);
    return (uint32_t)sum;
}

static inline uint16_t nd__fold32(uint32_t sum) {
    sum = (sum & UINT16_MAX) + (sum >> 16);
    sum = (sum & UINT16_MAX) + (sum >> 16);
    return (uint16_t)sum;
}

/* The value of a byte that is the first of its 16-bit word in memory, or the second. */
static inline uint16_t nd__first_byte(uint8_t byte) {
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? byte : (uint16_t)(byte << 8);
}

static inline uint16_t nd__second_byte(uint8_t byte) {
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? (uint16_t)(byte << 8) : byte;
}

/* Summed by the places of even addresses, bytes that begin at an odd one come out swapped. */
static inline uint16_t nd__unswap(uint16_t sum, bool odd) {
    return odd ? nd__swap16(sum) : sum;
}

#endif

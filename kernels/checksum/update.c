/* SPDX-License-Identifier: BSD-3-Clause */
/* Sums of sums: pieces put together, and a field kept true when what is under it changes. */
#include "fold.h"
#include "nd/checksum.h"

uint16_t nd_checksum_combine(uint16_t first, size_t first_len, uint16_t second) {
    return nd__fold32((uint32_t)first + nd__unswap(second, first_len % 2 != 0));
}

/* RFC 1624, equation 3: HC' = ~(~HC + ~m + m'). The equation of RFC 1141 gives the other zero where
 * the result is 0. */
uint16_t nd_checksum_update(uint16_t field, uint16_t before, uint16_t after) {
    uint32_t sum = (uint32_t)(uint16_t)~field + (uint16_t)~before + after;

    return (uint16_t)~nd__fold32(sum);
}

uint16_t nd_checksum_update32(uint16_t field, uint32_t before, uint32_t after) {
    uint64_t sum = (uint64_t)(uint16_t)~field + (uint32_t)~before + after;

    return (uint16_t)~nd__fold32(nd__fold64(sum));
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* Ours in the place of picoTCP's: the linker's --wrap brings its calls here. */
#include "fold.h"
#include "nd/checksum.h"
#include "nd/picotcp_kernels.h"

/* The value whose higher byte is the first in memory. */
static uint16_t to_value(uint16_t word) {
    return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? nd__swap16(word) : word;
}

uint16_t __wrap_pico_checksum(const void *bytes, uint32_t len) {
    return to_value((uint16_t)~nd_checksum(bytes, len));
}

uint16_t __wrap_pico_dualbuffer_checksum(const void *first, uint32_t first_len, const void *second,
                                         uint32_t second_len) {
    uint16_t sum = nd_checksum_combine(nd_checksum(first, first_len), first_len,
                                       nd_checksum(second, second_len));

    return to_value((uint16_t)~sum);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The truth: one byte after the other. */
#include "../checksum/rows.h"
#include "rows.h"

void *nd__copy_ref(void *dst, const void *src, size_t len) {
    uint8_t *to = dst;
    const uint8_t *from = src;

    while (len-- > 0) {
        *to++ = *from++;
    }
    return dst;
}

uint16_t nd__copy_checksum_ref(void *dst, const void *src, size_t len) {
    return nd__checksum_ref(nd__copy_ref(dst, src, len), len);
}

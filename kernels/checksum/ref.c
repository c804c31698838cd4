/* SPDX-License-Identifier: BSD-3-Clause */
/* The truth: RFC 1071, word by word, each carry brought round at once. */
#include "fold.h"
#include "load.h"
#include "rows.h"

uint16_t nd__checksum_ref(const void *bytes, size_t len) {
    const uint8_t *at = bytes;
    uint16_t sum = 0;

    for (; len > 1; len -= 2, at += 2) {
        sum = nd__fold32((uint32_t)sum + nd__load16(at));
    }
    if (len > 0) {
        sum = nd__fold32((uint32_t)sum + nd__first_byte(*at));
    }
    return sum;
}

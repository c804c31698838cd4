/* SPDX-License-Identifier: BSD-3-Clause */
/* core/text.h - the few things that core needs of <string.h> and <stdlib.h>.
 *
 * They are here because the agent may ask only memcpy and its kin of the C library. */
#ifndef ND_CORE_TEXT_H
#define ND_CORE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes before the closing NUL [byte]. */
static inline size_t nd__text_length(const char *text) {
    const char *at = text;

    while (*at != '\0') {
        at++;
    }
    return (size_t)(at - text);
}

/* True when both texts are the same, byte by byte. */
static inline bool nd__text_equal(const char *a, const char *b) {
    while (*a == *b && *a != '\0') {
        a++;
        b++;
    }
    return *a == *b;
}

/* Read len bytes that are all decimal digits, at least one. False, with *value unchanged, for
 * anything else and for a number above UINT64_MAX. */
static inline bool nd__text_u64(const char *text, size_t len, uint64_t *value) {
    uint64_t sum = 0;

    for (size_t i = 0; i < len; i++) {
        unsigned digit = (unsigned)(unsigned char)text[i] - '0';

        if (digit > 9 || sum > (UINT64_MAX - digit) / 10) {
            return false;
        }
        sum = sum * 10 + digit;
    }
    if (len == 0) {
        return false;
    }
    *value = sum;
    return true;
}

#endif

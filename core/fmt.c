/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/fmt.h"

#include <string.h>

#include "nd/memory.h"
#include "text.h"

/* Digits of UINT64_MAX. */
#define U64_DIGITS 20u

void nd_fmt_init(struct nd_fmt *out, char *bytes, size_t size) {
    *out = (struct nd_fmt){.begin = bytes, .at = bytes, .end = bytes + size};
}

size_t nd_fmt_length(const struct nd_fmt *out) {
    return (size_t)(out->at - out->begin);
}

/* As much of the bytes as fits; so a text that was cut is always the head of the whole one. */
static void put(struct nd_fmt *out, const char *bytes, size_t len) {
    size_t room = (size_t)(out->end - out->at);

    if (len > room) {
        len = room;
        out->cut = true;
    }
    if (len > 0) {
        memcpy(out->at, bytes, len);
        out->at += len;
    }
}

void nd_fmt_char(struct nd_fmt *out, char c) {
    put(out, &c, 1);
}

void nd_fmt_text(struct nd_fmt *out, const char *text) {
    put(out, text, nd__text_length(text));
}

/* At least `least` digits, with zeros in front where the value has fewer. */
static void put_digits(struct nd_fmt *out, uint64_t value, unsigned least) {
    char digits[U64_DIGITS];
    unsigned at = U64_DIGITS;

    while (value > 0 || U64_DIGITS - at < least) {
        at--;
        digits[at] = (char)('0' + value % 10);
        value /= 10;
    }
    put(out, &digits[at], U64_DIGITS - at);
}

void nd_fmt_u64(struct nd_fmt *out, uint64_t value) {
    put_digits(out, value, 1);
}

void nd_fmt_i64(struct nd_fmt *out, int64_t value) {
    uint64_t magnitude = (uint64_t)value;

    if (value < 0) {
        nd_fmt_char(out, '-');
        magnitude = 0 - magnitude;
    }
    nd_fmt_u64(out, magnitude);
}

void nd_fmt_fixed(struct nd_fmt *out, uint64_t value, unsigned decimals) {
    uint64_t scale = 1;

    for (unsigned i = 0; i < decimals; i++) {
        scale *= 10;
    }
    nd_fmt_u64(out, value / scale);
    if (decimals > 0) {
        nd_fmt_char(out, '.');
        put_digits(out, value % scale, decimals);
    }
}

/* A number of 128 bits. */
struct wide {
    uint64_t high;
    uint64_t low;
};

static struct wide add_wide(struct wide a, uint64_t b) {
    a.low += b;
    a.high += a.low < b;
    return a;
}

/* Schoolbook, in digits of 32 bits. */
static struct wide multiply(uint64_t a, uint64_t b) {
    uint64_t a_low = (uint32_t)a;
    uint64_t a_high = a >> 32;
    uint64_t b_low = (uint32_t)b;
    uint64_t b_high = b >> 32;
    /* Below 2^64: (2^32 - 1)^2 + 2 * (2^32 - 1) is 2^64 - 1. */
    uint64_t middle = a_low * b_high + (a_low * b_low >> 32);
    uint64_t other = a_high * b_low + (uint32_t)middle;
    struct wide product = {
        .high = a_high * b_high + (middle >> 32) + (other >> 32),
        .low = other << 32 | (uint32_t)(a_low * b_low),
    };

    return product;
}

/* Long division, bit by bit. n.high must be below the divisor: the quotient then fits. */
static uint64_t divide(struct wide n, uint64_t divisor) {
    for (unsigned i = 0; i < 64; i++) {
        bool carry = n.high >> 63 != 0;

        n.high = n.high << 1 | n.low >> 63;
        n.low <<= 1;
        if (carry || n.high >= divisor) {
            n.high -= divisor;
            n.low |= 1;
        }
    }
    return n.low;
}

uint64_t nd_fmt_muldiv(uint64_t a, uint64_t b, uint64_t c) {
    struct wide rounded = add_wide(multiply(a, b), c / 2);

    return rounded.high < c ? divide(rounded, c) : UINT64_MAX;
}

/* A comma, unless this is the first thing in its object or in the whole text. */
static void separate(struct nd_fmt *out) {
    if (out->at > out->begin && out->at[-1] != '{') {
        nd_fmt_char(out, ',');
    }
}

static void put_key(struct nd_fmt *out, const char *key) {
    separate(out);
    nd_fmt_char(out, '"');
    nd_fmt_text(out, key);
    nd_fmt_text(out, "\":");
}

void nd_json_open(struct nd_fmt *out) {
    nd_fmt_char(out, '{');
}

void nd_json_open_key(struct nd_fmt *out, const char *key) {
    put_key(out, key);
    nd_json_open(out);
}

void nd_json_close(struct nd_fmt *out) {
    nd_fmt_char(out, '}');
}

void nd_json_u64(struct nd_fmt *out, const char *key, uint64_t value) {
    put_key(out, key);
    nd_fmt_u64(out, value);
}

void nd_json_i64(struct nd_fmt *out, const char *key, int64_t value) {
    put_key(out, key);
    nd_fmt_i64(out, value);
}

void nd_json_bool(struct nd_fmt *out, const char *key, bool value) {
    put_key(out, key);
    nd_fmt_text(out, value ? "true" : "false");
}

static void put_escaped(struct nd_fmt *out, unsigned char c) {
    static const char hex[] = "0123456789abcdef";

    if (c == '"' || c == '\\') {
        nd_fmt_char(out, '\\');
        nd_fmt_char(out, (char)c);
    } else if (c < 0x20 || c > 0x7E) {
        nd_fmt_text(out, "\\u00");
        nd_fmt_char(out, hex[c >> 4]);
        nd_fmt_char(out, hex[c & 15]);
    } else {
        nd_fmt_char(out, (char)c);
    }
}

void nd_json_text(struct nd_fmt *out, const char *key, const char *text) {
    put_key(out, key);
    nd_fmt_char(out, '"');
    for (; *text != '\0'; text++) {
        put_escaped(out, (unsigned char)*text);
    }
    nd_fmt_char(out, '"');
}

void nd_json_fixed(struct nd_fmt *out, const char *key, uint64_t value, unsigned decimals) {
    put_key(out, key);
    nd_fmt_fixed(out, value, decimals);
}

void nd_json_value(struct nd_fmt *out, const char *key, int64_t value) {
    const char *reason = nd_absent_name(value);

    if (reason != NULL) {
        nd_json_text(out, key, reason);
    } else {
        nd_json_i64(out, key, value);
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "units.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define KI ((uint64_t)1024)
#define MI (KI * KI)
#define GI (MI * KI)
#define K  ((uint64_t)1000)
#define M  (K * K)
#define G  (M * K)

/* A suffix and its worth in the kind's base unit. */
struct scale {
    const char *suffix;
    uint64_t factor;
    bool print; /* the printer may choose it */
};

static const struct scale counts[] = {{"", 1, true}};

static const struct scale sizes[] = {
    {"G", GI, true},    {"M", MI, true},    {"K", KI, true},    {"", 1, true},
    {"B", 1, false},    {"k", KI, false},   {"m", MI, false},   {"g", GI, false},
    {"KiB", KI, false}, {"MiB", MI, false}, {"GiB", GI, false},
};

static const struct scale durations[] = {
    {"h", 3600 * G, true}, {"m", 60 * G, true}, {"s", G, true}, {"ms", M, true},
    {"us", K, true},       {"ns", 1, true},     {"", G, false}, {"min", 60 * G, false},
};

static const struct scale rates[] = {
    {"G", G, true},       {"M", M, true},       {"K", K, true},
    {"", 1, true},        {"k", K, false},      {"bit/s", 1, false},
    {"kbit/s", K, false}, {"Mbit/s", M, false}, {"Gbit/s", G, false},
};

static const struct scale clocks[] = {
    {"G", G, true},  {"M", M, true},   {"K", K, true},    {"", 1, true},
    {"k", K, false}, {"Hz", 1, false}, {"kHz", K, false}, {"MHz", M, false},
};

static const struct {
    const struct scale *scales;
    size_t count;
    const char *forms;
} kinds[] = {
    [UNITS_COUNT] = {counts, sizeof counts / sizeof *counts, "a whole number such as 128"},
    [UNITS_BYTES] = {sizes, sizeof sizes / sizeof *sizes,
                     "a size such as 1460, 32K or 1M (K = 1024 byte)"},
    [UNITS_NS] = {durations, sizeof durations / sizeof *durations,
                  "a duration such as 5s, 200ms or 1m"},
    [UNITS_BIT_S] = {rates, sizeof rates / sizeof *rates,
                     "a rate such as 100M or 1.5G (M = 1 000 000 bit/s)"},
    [UNITS_HZ] = {clocks, sizeof clocks / sizeof *clocks,
                  "a clock such as 33M or 62.5M (M = 1 000 000 Hz)"},
};

/* A decimal number taken apart: 12.05 is whole 12, fraction 5, of 100 parts. */
struct decimal {
    uint64_t whole;
    uint64_t fraction;
    uint64_t parts;
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static int read_decimal(const char **at, struct decimal *number) {
    const char *text = *at;

    *number = (struct decimal){.parts = 1};
    if (!is_digit(*text)) {
        return UNITS_E_FORM;
    }
    for (; is_digit(*text); text++) {
        if (__builtin_mul_overflow(number->whole, 10u, &number->whole) ||
            __builtin_add_overflow(number->whole, (uint64_t)(*text - '0'), &number->whole)) {
            return UNITS_E_RANGE;
        }
    }
    if (*text == '.' && is_digit(text[1])) {
        for (text++; is_digit(*text); text++) {
            if (__builtin_mul_overflow(number->parts, 10u, &number->parts)) {
                return UNITS_E_FINE;
            }
            number->fraction = number->fraction * 10 + (uint64_t)(*text - '0');
        }
    }
    *at = text;
    return UNITS_OK;
}

static const struct scale *find_scale(enum units kind, const char *suffix) {
    for (size_t i = 0; i < kinds[kind].count; i++) {
        if (strcmp(kinds[kind].scales[i].suffix, suffix) == 0) {
            return &kinds[kind].scales[i];
        }
    }
    return NULL;
}

int units_parse(enum units kind, const char *text, uint64_t *value) {
    struct decimal number;
    const struct scale *scale;
    uint64_t whole, part;
    int result = read_decimal(&text, &number);

    if (result != UNITS_OK) {
        return result;
    }
    scale = find_scale(kind, text);
    if (scale == NULL) {
        return UNITS_E_FORM;
    }
    if (__builtin_mul_overflow(number.whole, scale->factor, &whole)) {
        return UNITS_E_RANGE;
    }
    if (__builtin_mul_overflow(number.fraction, scale->factor, &part) || part % number.parts != 0) {
        return UNITS_E_FINE;
    }
    if (__builtin_add_overflow(whole, part / number.parts, &whole)) {
        return UNITS_E_RANGE;
    }
    *value = whole;
    return UNITS_OK;
}

const char *units_print(enum units kind, uint64_t value, char text[UNITS_TEXT_BYTES]) {
    for (size_t i = 0; i < kinds[kind].count; i++) {
        const struct scale *scale = &kinds[kind].scales[i];

        if (scale->print && value % scale->factor == 0 && (value != 0 || scale->factor == 1)) {
            snprintf(text, UNITS_TEXT_BYTES, "%" PRIu64 "%s", value / scale->factor, scale->suffix);
            return text;
        }
    }
    snprintf(text, UNITS_TEXT_BYTES, "%" PRIu64, value);
    return text;
}

const char *units_forms(enum units kind) {
    return kinds[kind].forms;
}

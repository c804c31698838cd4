/* SPDX-License-Identifier: BSD-3-Clause */
/* units.h - numbers with units, as people type and read them.
 *
 * Sizes are binary, because buffers are: 32K = 32 KiB = 32768 byte. Rates are decimal,
 * because wires are: 100M = 100 Mbit/s = 100 000 000 bit/s. A duration without a unit is seconds.
 */
#ifndef ND_TOOL_UNITS_H
#define ND_TOOL_UNITS_H

#include <stddef.h>
#include <stdint.h>

enum units {
    UNITS_COUNT, /* a plain number */
    UNITS_BYTES,
    UNITS_NS,
    UNITS_BIT_S,
    UNITS_HZ
};

/* Why a text is not a number of this kind. */
enum units_result {
    UNITS_OK = 0,
    UNITS_E_FORM = -1,  /* not of an accepted form */
    UNITS_E_RANGE = -2, /* beyond 64 bits */
    UNITS_E_FINE = -3   /* a fraction of the smallest unit: 1.5 byte */
};

/* Room that units_print() needs at most [byte]. */
#define UNITS_TEXT_BYTES 32

/* Read all of text; *value, in the kind's base unit (byte, ns, bit/s, Hz), only on UNITS_OK. */
int units_parse(enum units kind, const char *text, uint64_t *value);

/* Write value exactly, in the largest unit that divides it; always NUL-terminated. Returns text. */
const char *units_print(enum units kind, uint64_t value, char text[UNITS_TEXT_BYTES]);

/* The accepted forms in words: "a size such as 1460, 32K or 1M (K = 1024 byte)". */
const char *units_forms(enum units kind);

#endif

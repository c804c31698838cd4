/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/fmt.h - text and JSON into a buffer of fixed size, without printf.
 *
 * A writer never writes past its end; what does not fit sets `cut`, and the caller then drops
 * the line or tries again with more room. The text is not NUL-terminated. */
#ifndef ND_FMT_H
#define ND_FMT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A writer over the caller's buffer. */
struct nd_fmt {
    char *begin;
    char *at;  /* next byte to write; at - begin is the length so far [byte] */
    char *end; /* one past the buffer */
    bool cut;  /* something did not fit */
};

/* Start writing into bytes[0 .. size). */
void nd_fmt_init(struct nd_fmt *out, char *bytes, size_t size);

/* Bytes written so far [byte]. */
size_t nd_fmt_length(const struct nd_fmt *out);

void nd_fmt_char(struct nd_fmt *out, char c);
void nd_fmt_text(struct nd_fmt *out, const char *text);
void nd_fmt_u64(struct nd_fmt *out, uint64_t value);
void nd_fmt_i64(struct nd_fmt *out, int64_t value);

/* value / 10^decimals with exactly that many decimals: (5157, 3) is "5.157". decimals: 0..9. */
void nd_fmt_fixed(struct nd_fmt *out, uint64_t value, unsigned decimals);

/* (a * b) / c rounded to nearest, exact in 128 bits; UINT64_MAX when it does not fit. c > 0.
 * Here because rates are printed from it: bytes * 8e9 / ns. */
uint64_t nd_fmt_muldiv(uint64_t a, uint64_t b, uint64_t c);

/* JSON. An object is opened, gets its members in order, and is closed; commas are placed by
 * looking at the byte before. Keys are written as they are: plain ASCII without quotes. */
void nd_json_open(struct nd_fmt *out);
void nd_json_open_key(struct nd_fmt *out, const char *key); /* "key":{ */
void nd_json_close(struct nd_fmt *out);
void nd_json_u64(struct nd_fmt *out, const char *key, uint64_t value);
void nd_json_i64(struct nd_fmt *out, const char *key, int64_t value);
void nd_json_bool(struct nd_fmt *out, const char *key, bool value);

/* As nd_fmt_fixed(): a number with decimals. */
void nd_json_fixed(struct nd_fmt *out, const char *key, uint64_t value, unsigned decimals);

/* A string value, escaped as RFC 8259 asks; bytes above 0x7E and below 0x20 as \u00XX. */
void nd_json_text(struct nd_fmt *out, const char *key, const char *text);

/* A value of 0 or more as a number; an absence (nd/memory.h) as its reason in quotes. */
void nd_json_value(struct nd_fmt *out, const char *key, int64_t value);

#ifdef __cplusplus
}
#endif
#endif

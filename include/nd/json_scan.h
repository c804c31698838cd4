/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/json_scan.h - read JSON (RFC 8259) as it arrives, in fixed memory.
 *
 * The text may come in pieces of any size; none of it is kept but the latest key. Every value
 * is handed over as an item with its key and depth; texts are checked and skipped. */
#ifndef ND_JSON_SCAN_H
#define ND_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Room for a key, its NUL included [byte]. A longer one is handed over as "". */
#define ND_JSON_KEY_BYTES 24

/* Containers within each other, the outermost object included; one more is refused. */
#define ND_JSON_DEPTH 16

enum nd_json_kind {
    ND_JSON_OBJECT, /* one begins */
    ND_JSON_ARRAY,
    ND_JSON_CLOSE, /* the latest object or array ends */
    ND_JSON_NUMBER,
    ND_JSON_TRUE,
    ND_JSON_FALSE,
    ND_JSON_NULL,
    ND_JSON_TEXT
};

/* One value. Lives only during the call that hands it over. */
struct nd_json_item {
    enum nd_json_kind kind;
    unsigned depth;  /* containers around it; 0 = the outermost object itself */
    const char *key; /* "" inside an array, of a CLOSE, and for one that was too long or escaped */
    /* Of a number: digits * 10^exponent; digits beyond 64 bits are dropped. */
    bool negative;
    uint64_t digits;
    int32_t exponent;
};

typedef void nd_json_item_fn(void *ctx, const struct nd_json_item *item);

/* Where the reading is. Owner: the caller; written by nobody else. */
struct nd_json_scan {
    uint64_t digits;
    const char *rest; /* of a literal: what must still come */
    int32_t exponent;
    int32_t power;    /* the number's written exponent */
    uint16_t objects; /* a bit for each level: object or array */
    uint8_t depth;
    uint8_t state;
    uint8_t key_length;
    uint8_t literal; /* enum nd_json_kind of the literal being read */
    uint8_t hex;     /* digits of an escape that must still come */
    bool in_key;
    bool negative;
    bool power_negative;
    char key[ND_JSON_KEY_BYTES];
};

/* Begin a text. */
void nd_json_scan_init(struct nd_json_scan *scan);

/* Read on; item is called for every value that is complete. ND_AGAIN: more must come. ND_OK: the
 * outermost object is closed, and only blanks may follow. ND_E_PROTOCOL: this is no JSON
 * object, or too deep; it stays so. */
int nd_json_scan_feed(struct nd_json_scan *scan, const char *bytes, size_t len,
                      nd_json_item_fn *item, void *ctx);

/* |number| * 10^decimals, rounded to nearest; UINT64_MAX when it does not fit. So 2.4e-05 seconds
 * with 9 decimals are 24000 ns. 0 for an item that is no number. */
uint64_t nd_json_scan_scaled(const struct nd_json_item *item, unsigned decimals);

/* A number that may be below 0, its fraction rounded off. What some peers write for a negative
 * one, its 64 bits read without sign (18446744073709551615 for -1), is understood. */
int64_t nd_json_scan_signed(const struct nd_json_item *item);

#ifdef __cplusplus
}
#endif
#endif

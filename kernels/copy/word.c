/* SPDX-License-Identifier: BSD-3-Clause */
/* In C for any processor: words of 32 bits to an aligned destination, eight at a time, from
 * wherever the source lies. */
#include <stdbool.h>

#include "../checksum/fold.h"
#include "load.h"
#include "rows.h"

enum { WORD = 4, BLOCK_BYTES = 8 * WORD };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Bytes in front of the first aligned word of an address. */
static size_t before_word(const void *address) {
    return -(uintptr_t)address % WORD;
}

static inline uint32_t move(uint8_t *to, const uint8_t *from) {
    uint32_t word = nd__load32(from);

    nd__store32(__builtin_assume_aligned(to, WORD), word);
    return word;
}

static inline void move_block(uint8_t *to, const uint8_t *from) {
    move(to, from);
    move(to + 4, from + 4);
    move(to + 8, from + 8);
    move(to + 12, from + 12);
    move(to + 16, from + 16);
    move(to + 20, from + 20);
    move(to + 24, from + 24);
    move(to + 28, from + 28);
}

void *nd__copy_c(void *dst, const void *src, size_t len) {
    uint8_t *to = dst;
    const uint8_t *from = src;
    size_t head = least(before_word(dst), len);

    nd__copy_ref(to, from, head);
    to += head;
    from += head;
    len -= head;
    for (; len >= BLOCK_BYTES; len -= BLOCK_BYTES, to += BLOCK_BYTES, from += BLOCK_BYTES) {
        move_block(to, from);
    }
    for (; len >= WORD; len -= WORD, to += WORD, from += WORD) {
        move(to, from);
    }
    nd__copy_ref(to, from, len);
    return dst;
}

/* Fewer than four bytes, by the places of even destinations. */
static uint32_t move_bytes(uint8_t *to, const uint8_t *from, size_t len) {
    uint32_t sum = 0;

    for (size_t i = 0; i < len; i++) {
        to[i] = from[i];
        sum += ((uintptr_t)&to[i] & 1) != 0 ? nd__second_byte(from[i]) : nd__first_byte(from[i]);
    }
    return sum;
}

/* So many bytes fit the sum with room to spare; then it is folded. */
enum { PIECE_BYTES = 1 << 20 };

static inline uint64_t move_piece(uint8_t *to, const uint8_t *from, size_t len) {
    uint64_t sum = 0;
    size_t at = 0;

    for (; at + BLOCK_BYTES <= len; at += BLOCK_BYTES) {
        sum += move(to + at, from + at);
        sum += move(to + at + 4, from + at + 4);
        sum += move(to + at + 8, from + at + 8);
        sum += move(to + at + 12, from + at + 12);
        sum += move(to + at + 16, from + at + 16);
        sum += move(to + at + 20, from + at + 20);
        sum += move(to + at + 24, from + at + 24);
        sum += move(to + at + 28, from + at + 28);
    }
    for (; at + WORD <= len; at += WORD) {
        sum += move(to + at, from + at);
    }
    return sum;
}

uint16_t nd__copy_checksum_c(void *dst, const void *src, size_t len) {
    uint8_t *to = dst;
    const uint8_t *from = src;
    size_t head = least(before_word(dst), len);
    uint64_t sum = move_bytes(to, from, head);
    size_t piece;

    to += head;
    from += head;
    len -= head;
    for (; len >= WORD; len -= piece, to += piece, from += piece) {
        piece = least(len - len % WORD, PIECE_BYTES);
        sum = nd__fold64(sum) + move_piece(to, from, piece);
    }
    sum = (uint64_t)nd__fold64(sum) + move_bytes(to, from, len);
    return nd__unswap(nd__fold32(nd__fold64(sum)), ((uintptr_t)dst & 1) != 0);
}

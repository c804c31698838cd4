/* SPDX-License-Identifier: BSD-3-Clause */
/* In C for any processor: aligned words of 32 bits, eight at a time, into a sum of 32 or of 64
 * bits. RFC 1071, section 2, (2)(B) and (2)(C). */
#include "fold.h"
#include "load.h"
#include "rows.h"

/* Eight words. */
enum { BLOCK_BYTES = 32 };

/* So many bytes fit a sum of 64 bits with room to spare; then it is folded. */
enum { PIECE_BYTES = 1 << 20 };

/* Up to a multiple of 4: at most three bytes, by the places of even addresses. */
static uint32_t take_head(const uint8_t **at, size_t *len) {
    uint32_t sum = 0;

    if (((uintptr_t)*at & 1) != 0 && *len > 0) {
        sum = nd__second_byte(**at);
        *at += 1;
        *len -= 1;
    }
    if (((uintptr_t)*at & 2) != 0 && *len > 1) {
        sum += nd__load16(*at);
        *at += 2;
        *len -= 2;
    }
    return sum;
}

/* What is left at the end, less than a block, from an even address. */
static uint32_t take_tail(const uint8_t *at, size_t len) {
    uint32_t sum = 0;

    for (; len > 1; len -= 2, at += 2) {
        sum += nd__load16(at);
    }
    return len > 0 ? sum + nd__first_byte(*at) : sum;
}

static inline uint32_t add32(uint32_t sum, uint32_t word) {
    sum += word;
    return sum + (sum < word);
}

uint16_t nd__checksum_c32(const void *bytes, size_t len) {
    const uint8_t *at = bytes;
    uint32_t sum = take_head(&at, &len);

    for (; len >= BLOCK_BYTES; len -= BLOCK_BYTES, at += BLOCK_BYTES) {
        sum = add32(sum, nd__load_word(at));
        sum = add32(sum, nd__load_word(at + 4));
        sum = add32(sum, nd__load_word(at + 8));
        sum = add32(sum, nd__load_word(at + 12));
        sum = add32(sum, nd__load_word(at + 16));
        sum = add32(sum, nd__load_word(at + 20));
        sum = add32(sum, nd__load_word(at + 24));
        sum = add32(sum, nd__load_word(at + 28));
    }
    sum = (uint32_t)nd__fold32(sum) + take_tail(at, len);
    return nd__unswap(nd__fold32(sum), ((uintptr_t)bytes & 1) != 0);
}

static uint64_t sum_blocks(const uint8_t *at, size_t len) {
    uint64_t sum = 0;

    for (; len >= BLOCK_BYTES; len -= BLOCK_BYTES, at += BLOCK_BYTES) {
        sum += nd__load_word(at);
        sum += nd__load_word(at + 4);
        sum += nd__load_word(at + 8);
        sum += nd__load_word(at + 12);
        sum += nd__load_word(at + 16);
        sum += nd__load_word(at + 20);
        sum += nd__load_word(at + 24);
        sum += nd__load_word(at + 28);
    }
    return sum;
}

uint16_t nd__checksum_c64(const void *bytes, size_t len) {
    const uint8_t *at = bytes;
    uint64_t sum = take_head(&at, &len);

    for (; len > PIECE_BYTES; len -= PIECE_BYTES, at += PIECE_BYTES) {
        sum = nd__fold64(sum) + (uint64_t)nd__fold64(sum_blocks(at, PIECE_BYTES));
    }
    sum += sum_blocks(at, len);
    sum = (uint64_t)nd__fold64(sum) +
          take_tail(at + len / BLOCK_BYTES * BLOCK_BYTES, len % BLOCK_BYTES);
    return nd__unswap(nd__fold32(nd__fold64(sum)), ((uintptr_t)bytes & 1) != 0);
}

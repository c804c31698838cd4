/* SPDX-License-Identifier: BSD-3-Clause */
/* A kernel beside the reference.
 *
 * Sources alternate from one length to the next between random bytes and their complement, so each
 * byte of the destination has to be stored anew. */
#include <stdbool.h>

#include "../checksum/rows.h"
#include "load.h"
#include "place.h"

/* What stands where nothing is to be stored. */
enum { MARGIN_BYTE = 0xA5 };

/* ---- the room ---- */

void nd_kernel_room_fill(struct nd_kernel_room *room, uint32_t seed) {
    uint8_t *first = (uint8_t *)room->src[0];
    uint8_t *second = (uint8_t *)room->src[1];

    for (size_t i = 0; i < ND_KERNEL_BUFFER_BYTES; i++) {
        seed = seed * 1664525u + 1013904223u; /* a linear congruential generator */
        first[i] = (uint8_t)(seed >> 24);
        second[i] = (uint8_t)~first[i];
    }
}

void nd_kernel_room_fill_ones(struct nd_kernel_room *room) {
    uint64_t *first = room->src[0];
    uint64_t *second = room->src[1];

    for (size_t i = 0; i < ND_KERNEL_BUFFER_BYTES / 8; i++) {
        first[i] = UINT64_MAX;
        second[i] = 0;
    }
}

/* ---- comparing ---- */

/* As memcmp() would, but words at a time at any address. */
static bool same(const uint8_t *a, const uint8_t *b, size_t len) {
    for (; len >= 4; len -= 4, a += 4, b += 4) {
        if (nd__load32(a) != nd__load32(b)) {
            return false;
        }
    }
    for (; len > 0; len--, a++, b++) {
        if (*a != *b) {
            return false;
        }
    }
    return true;
}

static bool margin_stands(const uint8_t *dst, size_t len) {
    for (size_t i = 1; i <= ND_KERNEL_MARGIN; i++) {
        if (dst[-(ptrdiff_t)i] != MARGIN_BYTE || dst[len + i - 1] != MARGIN_BYTE) {
            return false;
        }
    }
    return true;
}

/* ---- one call ---- */

/* Of a FIFO that was written: the last word is in the register. */
static bool last_word_is(const struct nd_kernel_room *room, const uint8_t *src, size_t len,
                         size_t width) {
    size_t count = len / width;

    if (count == 0) {
        return true;
    }
    src += (count - 1) * width;
    return width == 2 ? room->fifo.word16 == nd__load16(src) : room->fifo.word32 == nd__load32(src);
}

/* Of a FIFO that was read: each word is the register's. */
static bool all_words_are(const struct nd_kernel_room *room, const uint8_t *dst, size_t len,
                          size_t width) {
    for (size_t i = 0; i + width <= len; i += width) {
        if (width == 2 ? nd__load16(dst + i) != room->fifo.word16
                       : nd__load32(dst + i) != room->fifo.word32) {
            return false;
        }
    }
    return margin_stands(dst, len - len % width);
}

static bool prove_fifo(const struct nd_kernel *kernel, struct nd_kernel_room *room,
                       const uint8_t *src, uint8_t *dst, size_t len) {
    size_t width = nd__place_width(kernel->kind);

    room->fifo.word32 = nd__load32(src + len);
    switch (kernel->kind) {
    case ND_KERNEL_FIFO_WRITE16:
        kernel->call.fifo_write16(&room->fifo.word16, src, len / width);
        return last_word_is(room, src, len, width);
    case ND_KERNEL_FIFO_WRITE32:
        kernel->call.fifo_write32(&room->fifo.word32, src, len / width);
        return last_word_is(room, src, len, width);
    case ND_KERNEL_FIFO_READ16:
        kernel->call.fifo_read16(dst, &room->fifo.word16, len / width);
        return all_words_are(room, dst, len, width);
    default:
        kernel->call.fifo_read32(dst, &room->fifo.word32, len / width);
        return all_words_are(room, dst, len, width);
    }
}

static bool is_right(const struct nd_kernel *kernel, struct nd_kernel_room *room,
                     const struct nd_kernel_case *at) {
    size_t len = at->len;
    const uint8_t *src = nd__place_src(room, len % 2, at);
    uint8_t *dst = nd__place_dst(room, at);

    switch (kernel->kind) {
    case ND_KERNEL_CHECKSUM:
        return kernel->call.checksum(src, len) == nd__checksum_ref(src, len);
    case ND_KERNEL_COPY:
        return kernel->call.copy(dst, src, len) == dst && same(dst, src, len) &&
               margin_stands(dst, len);
    case ND_KERNEL_COPY_CHECKSUM:
        return kernel->call.copy_checksum(dst, src, len) == nd__checksum_ref(src, len) &&
               same(dst, src, len) && margin_stands(dst, len);
    default:
        return prove_fifo(kernel, room, src, dst, len);
    }
}

/* ---- lengths ---- */

static void clear_dst(struct nd_kernel_room *room) {
    uint8_t *dst = (uint8_t *)room->dst;

    for (size_t i = 0; i < ND_KERNEL_BUFFER_BYTES; i++) {
        dst[i] = MARGIN_BYTE;
    }
}

int32_t nd_kernel_prove(const struct nd_kernel *kernel, struct nd_kernel_room *room,
                        const struct nd_kernel_case *at) {
    struct nd_kernel_case one = *at;

    clear_dst(room);
    for (one.len = 0; one.len <= at->len; one.len++) {
        if (!is_right(kernel, room, &one)) {
            return (int32_t)one.len;
        }
    }
    return -1;
}

int32_t nd_kernel_prove_one(const struct nd_kernel *kernel, struct nd_kernel_room *room,
                            const struct nd_kernel_case *at) {
    const uint8_t *other = nd__place_src(room, (at->len + 1) % 2, at);
    uint8_t *dst = nd__place_dst(room, at);
    size_t width = nd__place_width(kernel->kind);
    size_t stored = width > 0 ? at->len - at->len % width : at->len;

    clear_dst(room);
    for (size_t i = 0; i < stored; i++) {
        dst[i] = other[i];
    }
    return is_right(kernel, room, at) ? -1 : (int32_t)at->len;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "heap.h"

struct nd_heap_piece {
    size_t bytes;               /* this included */
    struct nd_heap_piece *next; /* free pieces: the next by address */
};

#define HEAD_BYTES sizeof(struct nd_heap_piece)

/* A rest that is smaller stays with its piece [byte]. */
#define REST_BYTES (2 * HEAD_BYTES)

static struct nd_heap_piece *behind(struct nd_heap_piece *piece, size_t bytes) {
    return (struct nd_heap_piece *)(void *)((uint8_t *)piece + bytes);
}

static size_t round_up(size_t bytes) {
    return (bytes + HEAD_BYTES - 1) & ~(HEAD_BYTES - 1);
}

void nd_heap_start(struct nd_heap *heap, void *memory, size_t bytes) {
    size_t skipped = (HEAD_BYTES - (uintptr_t)memory % HEAD_BYTES) % HEAD_BYTES;

    *heap = (struct nd_heap){.total = (bytes - skipped) & ~(HEAD_BYTES - 1)};
    heap->first_free = (struct nd_heap_piece *)(void *)((uint8_t *)memory + skipped);
    *heap->first_free = (struct nd_heap_piece){.bytes = heap->total};
}

/* Cut what is not needed off a free piece; the rest takes its place in the list. */
static void cut(struct nd_heap_piece **link, size_t bytes) {
    struct nd_heap_piece *piece = *link;
    struct nd_heap_piece *rest = behind(piece, bytes);

    if (piece->bytes - bytes < REST_BYTES) {
        *link = piece->next;
        return;
    }
    *rest = (struct nd_heap_piece){.bytes = piece->bytes - bytes, .next = piece->next};
    piece->bytes = bytes;
    *link = rest;
}

void *nd_heap_alloc(struct nd_heap *heap, size_t bytes) {
    struct nd_heap_piece **link = &heap->first_free;
    struct nd_heap_piece *piece;
    size_t needed = round_up(bytes) + HEAD_BYTES;

    while (*link != NULL && (bytes > heap->total || (*link)->bytes < needed)) {
        link = &(*link)->next;
    }
    piece = *link;
    if (piece == NULL) {
        heap->failures++;
        return NULL;
    }
    cut(link, needed);
    heap->used += piece->bytes;
    heap->used_max = heap->used > heap->used_max ? heap->used : heap->used_max;
    heap->pieces++;
    heap->allocations++;
    return behind(piece, HEAD_BYTES);
}

/* Join a free piece with the next one if they touch. */
static void join(struct nd_heap_piece *piece) {
    struct nd_heap_piece *next = piece->next;

    if (next != NULL && behind(piece, piece->bytes) == next) {
        piece->bytes += next->bytes;
        piece->next = next->next;
    }
}

void nd_heap_free(struct nd_heap *heap, void *memory) {
    struct nd_heap_piece *before = NULL;
    struct nd_heap_piece *after = heap->first_free;
    struct nd_heap_piece *piece;

    if (memory == NULL) {
        return;
    }
    piece = (struct nd_heap_piece *)(void *)((uint8_t *)memory - HEAD_BYTES);
    heap->used -= piece->bytes;
    heap->pieces--;
    while (after != NULL && (uintptr_t)after < (uintptr_t)piece) {
        before = after;
        after = after->next;
    }
    piece->next = after;
    join(piece);
    if (before == NULL) {
        heap->first_free = piece;
    } else {
        before->next = piece;
        join(before);
    }
}

void nd_heap_read(const struct nd_heap *heap, struct nd_pool *pool) {
    *pool = (struct nd_pool){.name = "heap",
                             .element_bytes = 1,
                             .total = (int64_t)heap->total,
                             .used = (int64_t)heap->used,
                             .used_max = (int64_t)heap->used_max,
                             .failures = heap->failures};
}

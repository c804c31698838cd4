/* SPDX-License-Identifier: BSD-3-Clause */
/* heap.h - a heap in a piece of memory, for stacks that ask for malloc() and free(), with the
 * figures that nd/memory.h wants.
 *
 * Free pieces are kept by address and joined with their neighbours; the first that is large enough
 * is cut. That is how small systems commonly do it. A piece costs 8 bytes more than was asked for,
 * 16 on a 64-bit machine, which count as used. From one context. */
#ifndef ND_HEAP_H
#define ND_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include "nd/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

struct nd_heap_piece;

/* Owner: the caller, who may read the counters. */
struct nd_heap {
    struct nd_heap_piece *first_free;
    size_t total;         /* [byte] */
    size_t used;          /* [byte] */
    size_t used_max;      /* [byte] */
    uint32_t pieces;      /* in use */
    uint64_t allocations; /* that succeeded, since start */
    uint32_t failures;    /* that did not */
};

/* Make a heap of bytes of memory, at least 64, which stays in place while it is used. */
void nd_heap_start(struct nd_heap *heap, void *memory, size_t bytes);

/* A piece, aligned for everything, not cleared; NULL when none is large enough. */
void *nd_heap_alloc(struct nd_heap *heap, size_t bytes);

/* Give a piece back; NULL is none. */
void nd_heap_free(struct nd_heap *heap, void *piece);

/* The heap as a pool of nd/memory.h. */
void nd_heap_read(const struct nd_heap *heap, struct nd_pool *pool);

#ifdef __cplusplus
}
#endif
#endif

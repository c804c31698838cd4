/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/memory.h - what the firmware can tell about its memory.
 *
 * The owner fills one struct nd_memory with the calls it can answer; the agent asks from poll
 * context. A number that is not known is absent with a reason, never 0. */
#ifndef ND_MEMORY_H
#define ND_MEMORY_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Why a value is absent: negative, so that it fits where a value of 0 or more would be. */
enum nd_absent {
    ND_NOT_BUILT = -101,     /* this build leaves it out */
    ND_NOT_HOOKED = -102,    /* built in, but nothing ever reported to it */
    ND_NOT_SUPPORTED = -103, /* this stack, port or machine cannot tell */
    ND_NO_SAMPLES = -104     /* nothing was there to measure */
};

/* The reason as results print it: "not_built", "not_hooked", "not_supported", "no_samples";
 * NULL when value is none of them. */
const char *nd_absent_name(int64_t value);

/* One pool of fixed-size elements, or a heap (element size 1). Absent numbers: enum nd_absent. */
struct nd_pool {
    const char *name;      /* static; "heap" for the stack's heap, else the stack's pool name */
    int64_t element_bytes; /* size of one element [byte] */
    int64_t total;         /* elements there are */
    int64_t used;          /* in use now */
    int64_t used_max;      /* high-water mark */
    int64_t failures;      /* allocations that found nothing */
};

/* One stack (of the processor or of a task). */
struct nd_stack {
    const char *name;    /* static: "main" */
    int64_t total_bytes; /* size [byte] */
    int64_t used_bytes;  /* in use now [byte] */
    int64_t used_max;    /* deepest ever, from paint [byte]; total when the paint is gone */
};

/* What the owner can tell. Any pointer may be NULL: then that part is ND_NOT_HOOKED. */
struct nd_memory {
    void *ctx;
    /* Free bytes of the stack's heap now. Called after every receive and send of memtest, as the
     * origin sampled: keep it to a few instructions. */
    int64_t (*heap_free)(void *ctx);
    /* Fill *pool with pool number index (0 ...); ND_EOF past the last. Pool 0 is the heap. */
    int (*pool)(void *ctx, unsigned index, struct nd_pool *pool);
    /* Fill *stack with stack number index (0 ...); ND_EOF past the last. */
    int (*stack)(void *ctx, unsigned index, struct nd_stack *stack);
};

/* Free heap over time: current, minimum, maximum, average. Owner: the caller. */
struct nd_heap_meter {
    uint64_t sum;     /* of the samples [byte] */
    uint32_t samples; /* 0: the other numbers mean nothing */
    uint32_t now;     /* latest sample [byte] */
    uint32_t min;     /* [byte] */
    uint32_t max;     /* [byte] */
};

/* Forget all samples. */
void nd_heap_meter_reset(struct nd_heap_meter *meter);

/* Take one sample of memory->heap_free; nothing happens when it is absent. memory may be NULL. */
void nd_heap_meter_sample(struct nd_heap_meter *meter, const struct nd_memory *memory);

/* Mean of the samples, rounded down [byte]; ND_NO_SAMPLES when there is none. */
int64_t nd_heap_meter_average(const struct nd_heap_meter *meter);

#ifdef __cplusplus
}
#endif
#endif

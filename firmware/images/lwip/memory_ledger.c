/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory of an lwIP without statistics, as its probes saw it. What a heap piece has of bytes
 * they do not see. */
#include "lwip_timing.h"
#include "machine.h"
#include "memory.h"

#include "lwip/memp.h"
#include "lwip/opt.h"

#include "nd/error.h"

/* Pools in the order of memp_t, which without statistics have no names. */
static const char *const names[MEMP_MAX] = {
#define LWIP_MEMPOOL(name, num, size, desc) desc,
#include "lwip/priv/memp_std.h"
};

static void tell_heap(struct nd_pool *pool) {
    *pool = (struct nd_pool){.name = "heap",
                             .element_bytes = ND_NOT_SUPPORTED,
                             .total = ND_NOT_SUPPORTED,
                             .used = nd_lwip_ledger.heap_pieces,
                             .used_max = nd_lwip_ledger.heap_pieces_max,
                             .failures = nd_lwip_ledger.heap_failures};
}

static int get_pool(void *ctx, unsigned index, struct nd_pool *pool) {
    unsigned type = index - 1u;

    (void)ctx;
    if (index == 0) {
        tell_heap(pool);
        return ND_OK;
    }
    if (type >= MEMP_MAX) {
        return ND_EOF;
    }
    *pool = (struct nd_pool){.name = names[type],
                             .element_bytes = memp_pools[type]->size,
                             .total = memp_pools[type]->num,
                             .used = nd_lwip_ledger.elements[type],
                             .used_max = nd_lwip_ledger.elements_max[type],
                             .failures = nd_lwip_ledger.failures[type]};
    return ND_OK;
}

const struct nd_memory nd_image_memory = {
    .pool = get_pool,
    .stack = nd_machine_stack,
};

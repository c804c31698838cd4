/* SPDX-License-Identifier: BSD-3-Clause */
/* lwIP's statistics as struct nd_memory. Heap figures include the 8 bytes or more that lwIP puts
 * before each piece. */
#include "memory.h"
#include "machine.h"

#include "nd/error.h"

#include "lwip/mem.h"
#include "lwip/memp.h"
#include "lwip/stats.h"

static int64_t heap_free(void *ctx) {
    (void)ctx;
    return lwip_stats.mem.avail - lwip_stats.mem.used;
}

static void fill(struct nd_pool *pool, const char *name, int64_t element_bytes,
                 const struct stats_mem *stats) {
    pool->name = name;
    pool->element_bytes = element_bytes;
    pool->total = stats->avail;
    pool->used = stats->used;
    pool->used_max = stats->max;
    pool->failures = stats->err;
}

static int get_pool(void *ctx, unsigned index, struct nd_pool *pool) {
    (void)ctx;
    if (index == 0) {
        fill(pool, "heap", 1, &lwip_stats.mem);
        return ND_OK;
    }
    if (index > MEMP_MAX) {
        return ND_EOF;
    }
    const struct memp_desc *desc = memp_pools[index - 1];
    fill(pool, desc->desc, desc->size, desc->stats);
    return ND_OK;
}

const struct nd_memory nd_image_memory = {
    .heap_free = heap_free,
    .pool = get_pool,
    .stack = nd_machine_stack,
};

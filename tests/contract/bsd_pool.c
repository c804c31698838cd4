/* SPDX-License-Identifier: BSD-3-Clause */
/* bsd_pool.c - slots and buffers, static as a firmware has them. */
#include "bsd_pool.h"

#include <stddef.h>

#include "suite.h"

#define RX_BYTES 20000u

/* One turn sleeps so long at most [ms]. */
#define TURN_MS 1u

struct nd_bsd bsd_pool;
static struct nd_bsd_slot slots[BSD_POOL_SLOTS];
static uint8_t buffers[BSD_POOL_SLOTS * RX_BYTES];

int bsd_pool_make(struct rig *rig, int (*init)(struct nd_bsd *bsd, const struct nd_bsd_cfg *cfg)) {
    const struct nd_bsd_cfg cfg = {
        .slots = slots, .slot_count = BSD_POOL_SLOTS, .buffers = buffers, .rx_bytes = RX_BYTES};
    rig->ctx = &bsd_pool;
    return init(&bsd_pool, &cfg) == ND_OK ? 0 : -1;
}

void bsd_pool_finish(struct rig *rig) {
    (void)rig;
    nd_bsd_finish(&bsd_pool);
}

void bsd_pool_rest(void) {
    nd_bsd_wait(&bsd_pool, TURN_MS);
}

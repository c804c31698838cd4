/* SPDX-License-Identifier: BSD-3-Clause */
/* bsd_pool.h - an instance of the bsd port with its memory, for the rigs that have one. */
#ifndef ND_CONTRACT_BSD_POOL_H
#define ND_CONTRACT_BSD_POOL_H

#include "bsd.h"

#define BSD_POOL_SLOTS 12u

struct rig;

extern struct nd_bsd bsd_pool;

/* Make it by this call, and let the rig have it. 0, or -1. */
int bsd_pool_make(struct rig *rig, int (*init)(struct nd_bsd *bsd, const struct nd_bsd_cfg *cfg));

/* The rig's teardown: close all. */
void bsd_pool_finish(struct rig *rig);

/* Sleep until there is news, or for a millisecond. */
void bsd_pool_rest(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* place.h - where in a room a kernel reads and writes. */
#ifndef ND_KERNELS_PLACE_H
#define ND_KERNELS_PLACE_H

#include "nd/kernels.h"

static inline const uint8_t *nd__place_src(const struct nd_kernel_room *room, unsigned which,
                                           const struct nd_kernel_case *at) {
    return (const uint8_t *)room->src[which] + ND_KERNEL_MARGIN + at->src_align;
}

static inline uint8_t *nd__place_dst(struct nd_kernel_room *room, const struct nd_kernel_case *at) {
    return (uint8_t *)room->dst + ND_KERNEL_MARGIN + at->dst_align;
}

/* Bytes of a FIFO's word; 0 = the kind is no FIFO's. */
static inline size_t nd__place_width(enum nd_kernel_kind kind) {
    switch (kind) {
    case ND_KERNEL_FIFO_WRITE16:
    case ND_KERNEL_FIFO_READ16:
        return 2;
    case ND_KERNEL_FIFO_WRITE32:
    case ND_KERNEL_FIFO_READ32:
        return 4;
    default:
        return 0;
    }
}

#endif

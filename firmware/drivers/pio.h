/* SPDX-License-Identifier: BSD-3-Clause */
/* pio.h - an Ethernet controller without DMA: the processor moves each frame through a data
 * register of 32 bits, as it does with a LAN91C111.
 *
 * The emulated board has no such register, so its place is a word of memory: the loop executes
 * every load, store and branch of the real one, and what it moves is discarded. A bus that makes
 * the processor wait for the register adds that to each word; here it does not. On a board with DMA
 * these calls are empty. */
#ifndef ND_PIO_H
#define ND_PIO_H

#include <stdint.h>

#include "board.h"

#if ND_BOARD_NIC == ND_NIC_DMA

static inline void nd_pio_take(void *to, uint32_t bytes) {
    (void)to;
    (void)bytes;
}

static inline void nd_pio_put(const void *from, uint32_t bytes) {
    (void)from;
    (void)bytes;
}

#else

/* Take a frame of so many bytes out of the controller. */
void nd_pio_take(void *to, uint32_t bytes);

/* Put a piece of a frame into it. */
void nd_pio_put(const void *from, uint32_t bytes);

#endif
#endif

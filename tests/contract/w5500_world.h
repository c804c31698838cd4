/* SPDX-License-Identifier: BSD-3-Clause */
/* w5500_world.h - a model of the chip on a wire that comes back to it, in a time that only the bus
 * and world_turn() move. */
#ifndef ND_CONTRACT_W5500_WORLD_H
#define ND_CONTRACT_W5500_WORLD_H

#include "nd_w5500.h"
#include "w5500/chip.h"

#define WORLD_SPI_HZ 33000000u

/* Power the chip; again means a reset. Its bus, and where it is. */
void world_start(void);

/* The same on a bus so slow that frames arrive between any two bytes of a transaction. */
void world_start_slow(void);

struct nd_w5500_cfg world_cfg(void);

/* Let what is on its way arrive and a millisecond pass. */
void world_turn(void);

/* From now on every frame is lost: nobody answers. */
void world_cut(void);

/* Time so far [ns]. */
uint64_t world_ns(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* picotcp_world.h - one picoTCP with the address 10.0.0.2, whose packets to itself come back, in a
 * time that only world_turn() moves. */
#ifndef ND_CONTRACT_PICOTCP_WORLD_H
#define ND_CONTRACT_PICOTCP_WORLD_H

/* Start picoTCP; once a program. */
void world_start(void);

/* Let what is on its way arrive and a millisecond pass. */
void world_turn(void);

/* Let all that picoTCP remembers of closed connections run out. */
void world_settle(void);

/* Pieces of memory in use. */
long world_held(void);

#endif

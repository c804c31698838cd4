/* SPDX-License-Identifier: BSD-3-Clause */
/* lwip_world.h - one lwIP on an interface to itself, 127.0.0.1, in a time that only world_turn()
 * moves. */
#ifndef ND_CONTRACT_LWIP_WORLD_H
#define ND_CONTRACT_LWIP_WORLD_H

/* Start lwIP and the interface; once a program. */
void world_start(void);

/* Let what is on its way arrive and a millisecond pass. */
void world_turn(void);

/* Let what is on its way arrive, but no time pass: lwIP's timers cannot help. */
void world_deliver(void);

/* Let all that lwIP remembers of closed connections run out. */
void world_settle(void);

/* Blocks, buffers and bytes in use inside lwIP, in a unit of its own. */
long world_held(void);

#endif

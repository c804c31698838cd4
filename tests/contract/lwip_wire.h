/* SPDX-License-Identifier: BSD-3-Clause */
/* lwip_wire.h - an interface of lwIP to itself, 127.0.0.1; in the context that may call lwIP. */
#ifndef ND_CONTRACT_LWIP_WIRE_H
#define ND_CONTRACT_LWIP_WIRE_H

/* Add the interface, once lwIP is started. */
void wire_open(void);

/* Let what is on its way arrive. */
void wire_deliver(void);

/* Blocks, buffers and bytes in use inside lwIP, in a unit of its own. */
long wire_held(void);

#endif

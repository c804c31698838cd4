/* SPDX-License-Identifier: BSD-3-Clause */
/* peer.h - a TCP/IP stack at the far end of the wire, living in virtual time.
 *
 * lwIP keeps its state in globals, so there is one peer in a process at a time. */
#ifndef ND_SIM_PEER_H
#define ND_SIM_PEER_H

#include "far.h"

/* Bring the peer up at virtual time 0, as the far end of a network 10.0.0.0/24 in which it
 * is 10.0.0.1 and the device 10.0.0.2. ND_OK; ND_E_STATE when one is up already. */
int nd__peer_open(struct nd__far *far, const struct nd__far_cfg *cfg);

#endif

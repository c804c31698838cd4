/* SPDX-License-Identifier: BSD-3-Clause */
/* kernel.h - what the rigs over this machine's kernel share. */
#ifndef ND_CONTRACT_KERNEL_H
#define ND_CONTRACT_KERNEL_H

struct rig;

/* Open descriptors of this process; -1 = cannot tell. */
long kernel_held(struct rig *rig);

/* The whole suite on the loopback interface, over IPv4, then over IPv6. The number that failed. */
int kernel_run(struct rig *rig);

#endif

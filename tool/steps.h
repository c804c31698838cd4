/* SPDX-License-Identifier: BSD-3-Clause */
/* steps.h - the steps that plans are made of; one file each.
 *
 * A step enters what it finds into the document, under the names that plan.c lists, and judges
 * every entry it began. It answers ND_OK or the first error; what failed is in the document. */
#ifndef ND_TOOL_STEPS_H
#define ND_TOOL_STEPS_H

#include "rig.h"

/* Who the device is, its configuration and clock. */
int step_identity(struct rig *rig, const char *const *names);

/* Heap, pools and stacks now, and their high-water marks; at the end also what the device counted
 * of itself in between. */
int step_memory_idle(struct rig *rig, const char *const *names);
int step_memory_end(struct rig *rig, const char *const *names);

/* The three phases of memtest: names[0..2]. */
int step_memtest(struct rig *rig, const char *const *names);

/* The device receives. */
int step_tcp_rx(struct rig *rig, const char *const *names);

/* The device sends, its stack copying the bytes; or borrowing them. */
int step_tcp_tx_copy(struct rig *rig, const char *const *names);
int step_tcp_tx_borrow(struct rig *rig, const char *const *names);

/* Round trips of messages of 1, 64 and 1024 byte: names[0..2]. */
int step_echo(struct rig *rig, const char *const *names);

/* Before UDP, let both ends learn each other's hardware address (RFC 826): while a stack asks for
 * it, it drops what it cannot queue. Once a run is enough. ND_OK, or with the line in
 * rig->target.error.
 */
int step_udp_meet(struct rig *rig);

/* The device receives datagrams, as fast as the wire carries them. */
int step_udp_rx(struct rig *rig, const char *const *names);

/* The device sends datagrams: through its stack; or, built once, around it. */
int step_udp_tx(struct rig *rig, const char *const *names);
int step_bypass_tx(struct rig *rig, const char *const *names);

/* The device makes chunks and sends them: as fast as they go, then at the highest rate that it
 * keeps, or the one that was set: names[0..1]. */
int step_stream(struct rig *rig, const char *const *names);

/* Only the first of the two: names[0]. */
int step_stream_free(struct rig *rig, const char *const *names);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* wire.h - one direction of a full-duplex Ethernet: a queue, a rate, a delay.
 *
 * A frame of n bytes without FCS is padded to 60, and then takes 8 byte times of preamble, n, 4 of
 * FCS and 12 of gap. It has left the sender with the last bit of its FCS, and has arrived when that
 * bit has travelled for the delay; the gap only keeps the next frame waiting. Times are whole
 * nanoseconds, rounded up per frame. */
#ifndef ND_SIM_WIRE_H
#define ND_SIM_WIRE_H

#include "link/frames.h"

/* Never: no such event is due. */
#define ND__NEVER UINT64_MAX

/* Shortest Ethernet frame without FCS, and what surrounds a frame on the wire [byte]. */
#define ND__WIRE_MIN_BYTES      60u
#define ND__WIRE_PREAMBLE_BYTES 8u
#define ND__WIRE_FCS_BYTES      4u
#define ND__WIRE_GAP_BYTES      12u

/* Owner: the caller. */
struct nd__wire {
    uint64_t bit_s;
    uint64_t delay_ns;
    uint32_t queue_frames; /* that may wait at the sender, the one being sent included */
    uint64_t free_ns;      /* the next frame may start then [ns] */
    size_t left;           /* of the frames on the way, those that have left the sender */
    struct nd__frames frames;
};

/* An idle wire. bit_s and queue_frames are above 0. */
void nd__wire_init(struct nd__wire *wire, uint64_t bit_s, uint64_t delay_ns, uint32_t queue_frames);

/* Free what it holds. */
void nd__wire_close(struct nd__wire *wire);

/* Time that so many bytes take [ns]. */
uint64_t nd__wire_bytes_ns(const struct nd__wire *wire, uint32_t bytes);

/* Time from the first bit of a frame's preamble to the last of its FCS [ns]. */
uint64_t nd__wire_frame_ns(const struct nd__wire *wire, uint32_t bytes);

/* Queue a frame of at most ND_LOCKSTEP_FRAME_BYTES at time now_ns, not before the latest event
 * handled. False: the queue was full. */
bool nd__wire_send(struct nd__wire *wire, uint64_t now_ns, const void *data, uint32_t bytes);

/* Frames that have not left the sender yet. */
uint32_t nd__wire_waiting(const struct nd__wire *wire);

/* When the next frame leaves the sender, and the frame; ND__NEVER, NULL. nd__wire_leave() lets
 * it. */
uint64_t nd__wire_leave_ns(const struct nd__wire *wire);
const struct nd__frame *nd__wire_leaving(const struct nd__wire *wire);
void nd__wire_leave(struct nd__wire *wire);

/* When the next frame that has left arrives, and the frame; ND__NEVER, NULL. nd__wire_arrive()
 * takes it off the wire. */
uint64_t nd__wire_arrive_ns(const struct nd__wire *wire);
const struct nd__frame *nd__wire_arriving(const struct nd__wire *wire);
void nd__wire_arrive(struct nd__wire *wire);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* link.h - the device's Ethernet controller and the two wires to the peer.
 *
 * A pure machine in virtual time: it never reads a clock. The caller asks when the next event is
 * due and lets events happen one at a time, in the order of time. Events of the same instant
 * happen in the order of enum nd__link_event. */
#ifndef ND_SIM_LINK_H
#define ND_SIM_LINK_H

#include "link/capture.h"
#include "link/log.h"
#include "link/wire.h"

enum nd__link_event {
    ND__LINK_LEFT,      /* a frame of the device has left: one more descriptor is free */
    ND__LINK_TO_DEVICE, /* a frame reached the device: it lies in the receive ring, or is lost */
    ND__LINK_TO_PEER    /* a frame reaches the peer: nd__link_take_peer() has it */
};

struct nd__link_cfg {
    uint64_t bit_s;              /* [bit/s] */
    uint64_t delay_ns;           /* one way [ns] */
    uint32_t rx_ring;            /* the device's receive descriptors [frames] */
    uint32_t tx_ring;            /* the device's transmit descriptors [frames] */
    uint32_t queue_frames;       /* that may wait at the peer's end [frames] */
    struct nd__capture *capture; /* the caller's; NULL = none */
    struct nd__log *log;         /* the same */
};

/* Owner: the caller. */
struct nd__link {
    struct nd__link_cfg cfg;
    struct nd__wire to_peer; /* its queue is the transmit ring */
    struct nd__wire to_device;
    struct nd__frames ring; /* receive ring: frames that the device has not taken */
    uint64_t ring_frames;   /* put into the receive ring */
    uint64_t peer_frames;   /* taken by nd__link_take_peer() */
    uint64_t ring_drops;
    uint64_t queue_drops;
    uint64_t tx_drops;
};

/* An idle link. Every number but delay_ns is above 0. */
void nd__link_init(struct nd__link *link, const struct nd__link_cfg *cfg);

/* Free what it holds. */
void nd__link_close(struct nd__link *link);

/* The device, or the peer, sends a frame of at most ND_LOCKSTEP_FRAME_BYTES now. A frame that finds
 * no descriptor or no room in the queue is dropped and counted. */
void nd__link_send_device(struct nd__link *link, uint64_t now_ns, const void *data, uint32_t bytes);
void nd__link_send_peer(struct nd__link *link, uint64_t now_ns, const void *data, uint32_t bytes);

/* Would a frame that the peer sends now find room in its queue? */
bool nd__link_has_room(struct nd__link *link, uint64_t now_ns);

/* When the next event is due [ns]; ND__NEVER. */
uint64_t nd__link_next_ns(const struct nd__link *link);

/* Let the next event happen; one must be due. After ND__LINK_TO_PEER the frame must be looked at
 * with nd__link_peer_frame() and taken with nd__link_take_peer() at once. */
enum nd__link_event nd__link_step(struct nd__link *link);
const struct nd__frame *nd__link_peer_frame(const struct nd__link *link);
void nd__link_take_peer(struct nd__link *link);

/* The oldest frame of the receive ring, or NULL; taking it frees its descriptor. */
const struct nd__frame *nd__link_device_frame(const struct nd__link *link);
void nd__link_take_device(struct nd__link *link);

/* Log the frames that are on the wire and begin before this time at the device's socket, though
 * they do not end yet. */
void nd__link_log_rest(struct nd__link *link, uint64_t until_ns);

/* Frames in the receive ring. */
uint32_t nd__link_ring_count(const struct nd__link *link);

/* Transmit descriptors that are free. */
uint32_t nd__link_tx_free(const struct nd__link *link);

#endif

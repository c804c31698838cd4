/* SPDX-License-Identifier: BSD-3-Clause */
/* peer.h - a TCP/IP stack at the far end of the wire, living in virtual time.
 *
 * lwIP keeps its state in globals, so there is one peer in a process at a time. */
#ifndef ND_SIM_PEER_H
#define ND_SIM_PEER_H

#include <stdbool.h>
#include <stdint.h>

#include "nd/clock.h"
#include "nd/port.h"

/* Addresses of the simulated network, all in 10.0.0.0/24. */
#define ND__PEER_IP                                                                                \
    { 10, 0, 0, 1 }
#define ND__DEVICE_IP                                                                              \
    { 10, 0, 0, 2 }
#define ND__PEER_MASK                                                                              \
    { 255, 255, 255, 0 }

struct nd__peer_cfg {
    uint32_t seed; /* of its random numbers */
    /* Put a frame on the wire, at the time last set. The bytes are the peer's. */
    void (*send)(void *ctx, const void *data, uint32_t bytes);
    void *ctx;
};

/* Bring the peer up at virtual time 0. False when one is up already. */
bool nd__peer_open(const struct nd__peer_cfg *cfg);

/* Break off its connections and take it down. */
void nd__peer_close(void);

/* It is so late now; never goes back [ns]. */
void nd__peer_set_time(uint64_t now_ns);

/* When its next timer is due, may be in the past [ns]; UINT64_MAX = never. */
uint64_t nd__peer_timer_ns(void);

/* Run the timers that are due. */
void nd__peer_run_timers(void);

/* A frame arrived. Without memory for it, it is lost, as on a real network. */
void nd__peer_receive(const void *data, uint32_t bytes);

/* Its port, the port's context, and a clock of virtual nanoseconds. */
const struct nd_port *nd__peer_port(void);
void *nd__peer_port_ctx(void);
const struct nd_clock *nd__peer_clock(void);

#endif

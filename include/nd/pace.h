/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/pace.h - when to send next, so that a rate is kept exactly.
 *
 * Every due time is counted from the start, not from the send before it: what leaves late is made
 * up for, and nothing drifts. A rate of 1 000 000 bit/s is exactly that. */
#ifndef ND_PACE_H
#define ND_PACE_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A schedule. Owner: the caller; only nd_pace_* write to it. */
struct nd_pace {
    uint64_t due;   /* the next burst may leave now [ticks]; 0 with whole = 0: no limit */
    uint64_t whole; /* ticks from burst to burst, */
    uint64_t rest;  /* and `rest` parts of a tick, of which `rate` make one */
    uint64_t sum;   /* parts that have come together, below rate */
    uint64_t rate;  /* [unit/s] */
    uint32_t burst; /* steps that become due together */
    uint32_t left;  /* of the present burst */
};

/* Begin at `now` [ticks] to send `amount` units in every step at `rate` units a second on average:
 * bits at bit/s, or 1 at datagrams/s. rate 0: no limit. burst: steps sent back to back, the mean
 * rate kept; 0 and 1 are one at a time. hz: rate of the ticks. ND_OK; ND_E_ARG when amount is 0 or
 * amount * burst is 2^31 or more. */
int nd_pace_start(struct nd_pace *pace, uint64_t now, uint32_t hz, uint32_t amount, uint64_t rate,
                  uint32_t burst);

/* One step was sent. */
void nd_pace_step(struct nd_pace *pace);

/* True when a step may be sent at `now`. */
static inline bool nd_pace_due(const struct nd_pace *pace, uint64_t now) {
    return now >= pace->due;
}

#ifdef __cplusplus
}
#endif
#endif

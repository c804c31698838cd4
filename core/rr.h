/* SPDX-License-Identifier: BSD-3-Clause */
/* core/rr.h - what the TCP and the UDP half of rr share. */
#ifndef ND__RR_H
#define ND__RR_H

#include "nd/rr.h"

static inline struct nd_rr *nd__rr_of(struct nd_session *session) {
    return (struct nd_rr *)session;
}

/* Report and leave. */
void nd__rr_finish(struct nd_rr *rr, int result);
void nd__rr_stop(struct nd_session *session, int why);

/* All requests made, or the time up? */
bool nd__rr_is_over(const struct nd_rr *rr);

/* May the next request leave? Sets session.wake when not yet. */
bool nd__rr_is_due(struct nd_rr *rr);

/* A request begins now: stamp it and set when the next one may leave. */
void nd__rr_note_request(struct nd_rr *rr);

/* Its answer is complete. */
void nd__rr_note_answer(struct nd_rr *rr);

extern const struct nd_session_class nd__rr_tcp;
extern const struct nd_session_class nd__rr_udp;

#endif

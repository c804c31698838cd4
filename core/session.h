/* SPDX-License-Identifier: BSD-3-Clause */
/* core/session.h - what is counted when bytes move; in the hot path of every test, hence inline. */
#ifndef ND__SESSION_H
#define ND__SESSION_H

#include "nd/agent.h"

/* nd_session_moved(), for core itself. */
static inline void nd__session_moved(struct nd_session *session, struct nd_span_bytes *span,
                                     uint32_t n) {
    struct nd_agent *agent = session->agent;
    uint64_t now = agent->now;

    if (span->bytes == 0) {
        span->first = now;
        span->idle_first = agent->poll_idle;
    }
    if (span->first == now) {
        span->first_bytes += n;
    }
    span->bytes += n;
    span->last = now;
    span->idle_last = agent->poll_idle;
    uint64_t gap = now - session->active;
    nd_gaps_add(&agent->progress_gap, gap > UINT32_MAX ? UINT32_MAX : (uint32_t)gap);
    session->active = now;
}

/* After end() said `result`: the time since the last byte sent, at `last`, until all of it is known
 * to be acknowledged [ticks], or why that is not known. */
int64_t nd__session_tail(const struct nd_session *session, int result, uint64_t last);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* core/stream.h - what every engine on a byte stream does: take, send, echo, end, report. */
#ifndef ND__STREAM_H
#define ND__STREAM_H

#include "nd/agent.h"

/* Receive and drop up to `limit` bytes in this poll. Returns the count, ND_AGAIN, ND_EOF or
 * the error. Counts what it moved into rx; session->more tells whether the stack had nothing left.
 */
int32_t nd__stream_take(struct nd_session *session, struct nd_span_bytes *rx, uint32_t limit);

/* Send back up to `limit` received bytes from where they lie, in pieces of at most `piece`.
 * Returns the count sent, ND_AGAIN, ND_EOF or the error. */
int32_t nd__stream_echo(struct nd_session *session, struct nd_flow *flow, uint32_t limit,
                        uint32_t piece);

/* Send up to len bytes; counts what it moved into tx. Returns the port's answer. */
int32_t nd__stream_send(struct nd_session *session, struct nd_span_bytes *tx, const void *bytes,
                        uint32_t len, unsigned flags);

/* End our direction and drop what still comes. ND_OK when both directions have ended in order,
 * ND_AGAIN until then, or the error. */
int nd__stream_finish(struct nd_session *session);

/* The smaller of a 64-bit and a 32-bit amount. */
static inline uint32_t nd__stream_min(uint64_t a, uint32_t b) {
    return a < b ? (uint32_t)a : b;
}

#endif

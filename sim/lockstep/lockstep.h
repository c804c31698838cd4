/* SPDX-License-Identifier: BSD-3-Clause */
/* lockstep.h - the simulator's end of the two byte streams.
 *
 * Owns neither the files nor the device; knows nothing of time but the silence that it allows. */
#ifndef ND_SIM_LOCKSTEP_H
#define ND_SIM_LOCKSTEP_H

#include "lockstep/records.h"

/* Owner: the caller. */
struct nd__lockstep {
    int from_fd;         /* the device's records */
    int to_fd;           /* answers; O_NONBLOCK */
    unsigned silence_ms; /* wall time without a whole record that is allowed [ms] */
    bool waiting;        /* for a record, since `since_ms` */
    uint64_t since_ms;   /* [ms] */
    struct nd__records records;
};

/* Begin a dialogue. */
void nd__lockstep_init(struct nd__lockstep *lockstep, int from_fd, int to_fd, unsigned silence_ms);

/* Wait for the next record; it is valid until the next call. ND_OK; ND_AGAIN: a signal came first;
 * ND_E_PROTOCOL: records.error; ND_E_TIMEOUT: silence; ND_E_RESET: the stream ended. */
int nd__lockstep_next(struct nd__lockstep *lockstep, struct nd__record *record);

/* Answer a HELLO. ND_OK; ND_E_RESET when the device does not read. */
int nd__lockstep_welcome(struct nd__lockstep *lockstep, const struct nd_lockstep_welcome *welcome);

/* What a POLL is answered with. */
struct nd__answer {
    uint64_t now_ticks;
    uint32_t waited; /* of now_ticks [ticks] */
    uint32_t frames_left;
    uint32_t tx_free;
    const uint8_t *frame; /* NULL = none */
    uint32_t frame_bytes;
    const char *console;
    uint32_t console_bytes; /* at most ND_LOCKSTEP_CONSOLE_BYTES */
};

/* Answer a POLL in a single write(). ND_OK; ND_E_RESET when the device does not read. */
int nd__lockstep_answer(struct nd__lockstep *lockstep, const struct nd__answer *answer);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/sequence.h - what became of numbered datagrams: received, lost, repeated, out of order.
 *
 * The receiver keeps one bit for each of the latest ND_CFG_SEQUENCE_WINDOW ids, so that a
 * repeated datagram is told from one that comes late; neither hides a loss. A datagram older
 * than that cannot be told and is counted apart, and its id stays lost: no count is ever negative.
 * Adding a datagram takes no division. */
#ifndef ND_SEQUENCE_H
#define ND_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

#include "nd/config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The figures of a test, or of an interval of it. Over the intervals of a test, every sum is the
 * test's figure, with one exception that needs two: lost less recovered. */
struct nd_sequence {
    uint64_t datagrams;   /* received, each id once */
    uint64_t bytes;       /* of these [byte] */
    uint64_t expected;    /* sent, as the ids tell; datagrams + lost (less recovered) */
    uint64_t lost;        /* ids passed over and not received */
    uint64_t recovered;   /* interval: received now, counted as lost by an earlier interval */
    uint64_t duplicates;  /* received again */
    uint64_t reordered;   /* received after a higher id; not lost */
    uint64_t late;        /* older than the window: repeated or late, not known which */
    uint64_t extra_bytes; /* in duplicates and late ones [byte] */
    uint64_t extent;      /* the farthest that a reordered one was behind [ids] */
    uint64_t sent_gaps;   /* sent in sent_ns: from the first received id to the highest */
    int64_t sent_ns;      /* that took the sender so long by its clock [ns], or enum nd_absent */
    int64_t jitter_ns;    /* RFC 3550, 6.4.1 [ns], or enum nd_absent: no usable time stamps */
};

/* A receiver's count of one flow. RAM: one bit for each id of the window, and 344 bytes.
 * Owner: the caller; only nd_sequence_* write to it. */
struct nd_sequence_meter {
    struct nd_sequence sum;    /* counts so far; the other figures are made on asking */
    struct nd_sequence before; /* total() at the latest cut */
    uint64_t first;            /* the id that the sender began with */
    uint64_t next;             /* highest id so far and one */
    uint64_t cut_next;         /* next, at the latest cut */
    uint64_t recovered;        /* in this interval */
    uint64_t extent;           /* of this interval [ids] */
    uint64_t first_id;         /* the id received first, and its time stamp */
    uint64_t first_sent_ns;
    uint64_t high_id; /* the highest received, and its time stamp */
    uint64_t high_sent_ns;
    uint64_t cut_id; /* the same at the latest cut */
    uint64_t cut_sent_ns;
    uint64_t last_now; /* the latest first-time one came then [ticks], with this time stamp */
    uint64_t last_sent_ns;
    uint64_t sent_s;    /* the sender's seconds, 64 bits wide */
    uint64_t jitter_16; /* sixteen times the jitter [ns] */
    uint32_t tick_ns;   /* whole nanoseconds of a tick */
    uint32_t tick_part; /* and the rest, in 2^-32 ns */
    bool begun;
    bool clocked; /* the time stamps moved: they are some */
    uint32_t window[ND_CFG_SEQUENCE_WINDOW / 32];
};

/* Begin a flow whose sender numbers from `first`: 1, as most do; a datagram 0 then shows that it
 * is one that begins with 0. hz: rate of the ticks that add() is given [ticks/s], above 0. */
void nd_sequence_start(struct nd_sequence_meter *meter, uint64_t first, uint32_t hz);

/* The 64-bit id nearest to the highest so far that ends in these `bits` (31 or 32) bits. */
uint64_t nd_sequence_extend(const struct nd_sequence_meter *meter, uint32_t id, unsigned bits);

/* A sender's clock of 32-bit seconds and microseconds as 64-bit nanoseconds; goes on across the
 * wrap of the seconds. 0 = no time stamp. */
uint64_t nd_sequence_stamp(struct nd_sequence_meter *meter, uint32_t s, uint32_t us);

/* Count a datagram of so many bytes, received at agent time `now` [ticks]. id: below 2^63. sent_ns:
 * the sender's time [ns], 0 = it gives none. */
void nd_sequence_add(struct nd_sequence_meter *meter, uint64_t id, uint32_t bytes, uint64_t now,
                     uint64_t sent_ns);

/* The sender says that `id` was its last one: what is missing up to it is lost. */
void nd_sequence_end(struct nd_sequence_meter *meter, uint64_t id);

/* The figures since start(). */
void nd_sequence_total(const struct nd_sequence_meter *meter, struct nd_sequence *total);

/* The figures since the latest cut (or start()), and cut here. */
void nd_sequence_cut(struct nd_sequence_meter *meter, struct nd_sequence *interval);

/* What the sender offered by its own clock, at the mean length of the datagrams that came [bit/s];
 * ND_NO_SAMPLES or ND_NOT_SUPPORTED (no time stamps). */
int64_t nd_sequence_offered_bit_s(const struct nd_sequence *figures);

#ifdef __cplusplus
}
#endif
#endif

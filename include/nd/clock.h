/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/clock.h - what a tick is, and how readings become intervals.
 *
 * The agent reads no timer register itself. Its owner hands it a counter and says what
 * the counter counts; the kind travels with every result, and results of different kinds
 * are never compared. */
#ifndef ND_CLOCK_H
#define ND_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What one tick counts. Zero is no kind, so that a forgotten field is refused. */
enum nd_clock_kind {
    ND_CLOCK_CYCLES = 1,   /* processor cycles */
    ND_CLOCK_INSTRUCTIONS, /* instructions retired, as an emulator counts them; not cycles */
    ND_CLOCK_TIME          /* a timer of fixed rate */
};

/* A free-running up-counter.
 *
 * Owner: the caller; it outlives whatever was given its address. Strings are static. */
struct nd_clock {
    const volatile uint32_t *counter; /* where the count can be loaded, as DWT's CYCCNT; or NULL */
    uint32_t (*read)(void *ctx);      /* else: count [ticks], modulo 2^bits; from poll context */
    void *ctx;                        /* handed to read(); may be NULL */
    const char *name;                 /* as results print it, e.g. "dwt.cyccnt" */
    uint32_t hz;                      /* rate [ticks/s], above 0 */
    uint8_t bits;                     /* counter width [bit], 1..32 */
    enum nd_clock_kind kind;
};

/* A clock made 64 bits wide by being read often enough: at least once in 2^bits ticks
 * (at 96 MHz and 32 bits, every 44 s). Owner: the caller, one per reader. */
struct nd_stopwatch {
    const struct nd_clock *clock;
    uint64_t ticks; /* since nd_stopwatch_start() [ticks] */
    uint32_t last;  /* the latest raw reading */
};

/* True when every field of the clock is usable. */
bool nd_clock_valid(const struct nd_clock *clock);

/* The kind as results print it: "cycle", "instruction", "time"; "unknown" otherwise. */
const char *nd_clock_kind_name(enum nd_clock_kind kind);

/* The count now [ticks], modulo 2^bits. */
static inline uint32_t nd_clock_read(const struct nd_clock *clock) {
    return clock->counter != NULL ? *clock->counter : clock->read(clock->ctx);
}

/* Ticks from start to end, two raw readings of this clock; right across one wrap. */
static inline uint32_t nd_clock_elapsed(const struct nd_clock *clock, uint32_t start,
                                        uint32_t end) {
    return (end - start) & (UINT32_MAX >> (32 - clock->bits));
}

/* Ticks to nanoseconds at a rate of hz, rounded down; exact for all 64-bit inputs whose
 * result fits, and UINT64_MAX beyond. hz must be above 0. */
uint64_t nd_clock_ns(uint64_t ticks, uint32_t hz);

/* Nanoseconds to ticks at a rate of hz, rounded up, UINT64_MAX when it does not fit. */
uint64_t nd_clock_ticks(uint64_t ns, uint32_t hz);

/* Start at zero ticks now. The clock must be valid and outlive the stopwatch. */
void nd_stopwatch_start(struct nd_stopwatch *watch, const struct nd_clock *clock);

/* Read the clock and return the ticks since the start [ticks]. */
static inline uint64_t nd_stopwatch_read(struct nd_stopwatch *watch) {
    uint32_t now = nd_clock_read(watch->clock);

    watch->ticks += nd_clock_elapsed(watch->clock, watch->last, now);
    watch->last = now;
    return watch->ticks;
}

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/timing.h - where the time goes: a table of probes inside the firmware.
 *
 * A probe reads a clock before and after a piece of work, and adds the difference to a row. Rows
 * nest: what a row counts includes the probes that fired inside it, and what those cost is known,
 * since it was measured at the start. A row says how much of the work it can see, and whether it
 * saw anything at all when it was tried: a probe that was lost at link time is not a count of 0.
 *
 * One context, as all of the agent; an interrupt's time is counted where it struck. */
#ifndef ND_TIMING_H
#define ND_TIMING_H

#include <stdbool.h>
#include <stdint.h>

#include "nd/clock.h"
#include "nd/console.h"
#include "nd/error.h"
#include "nd/memory.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Probes inside each other, at most; a deeper one is not timed, and that is counted. */
#define ND_TIMING_DEPTH 12u

/* Empty probes that a calibration runs. */
#define ND_TIMING_TRIALS 64u

/* How a probe got into the code. Zero is none, so that a forgotten field shows. */
enum nd_timing_tier {
    ND_TIMING_MACRO = 1, /* the stack's own macro: at every site, whatever the optimiser does */
    ND_TIMING_WRAP,      /* the linker's --wrap: calls from one object into another */
    ND_TIMING_POINTER    /* a function pointer exchanged at run time */
};

/* Calls of one purpose among those that a row counts together. */
struct nd_timing_part {
    const char *name; /* static: "check" */
    int32_t sites;    /* calls in the code, or enum nd_absent */
};

/* One row. Owner: the caller. Ticks are those of the table's clock; an elapsed time is taken modulo
 * its width, so it must be shorter than that. */
struct nd_timing_row {
    const char *name;         /* as results print it, static: "Net malloc" */
    const char *function;     /* that is timed, static; for who counts outside; NULL = not told */
    const char *probe;        /* that calls it; likewise */
    enum nd_timing_tier tier; /* its weakest probe's */
    int32_t sites_seen;       /* calls in the code that the probe sees, or enum nd_absent */
    int32_t sites_missed;     /* and that it does not, or enum nd_absent */
    const struct nd_timing_part *parts; /* NULL = not told apart */
    uint32_t part_count;
    int32_t state; /* ND_OK: it was tried and fired; ND_NOT_HOOKED, ND_NOT_BUILT */
    uint32_t min;  /* shortest [ticks]; with count > 0 */
    uint32_t max;  /* longest [ticks]; with count > 0 */
    uint64_t count;
    uint64_t total;  /* probes' cost included [ticks] */
    uint64_t nested; /* probes that fired inside */
};

/* A probe that is running. */
struct nd_timing_mark {
    uint32_t start; /* the clock's reading */
    uint32_t fired; /* nd_timing.fired then */
};

/* The table. Owner: the caller, static, with a valid clock from the beginning. */
struct nd_timing {
    const struct nd_clock *clock;
    struct nd_timing_row *rows;
    uint32_t row_count;
    uint32_t depth;        /* probes that are running */
    uint32_t fired;        /* probes that are over, modulo 2^32 */
    uint32_t too_deep;     /* probes that found ND_TIMING_DEPTH others running */
    uint32_t inside_ticks; /* of ND_TIMING_TRIALS empty probes, as they measured themselves */
    uint32_t around_ticks; /* of the same, as a probe around each measures it */
    struct nd_timing_mark marks[ND_TIMING_DEPTH];
};

/* Measure what a probe costs, with this clock from now on. No probe may be running. sample: one
 * probe of the owner's usual shape, with its bookkeeping, around no work; NULL = enter and leave.
 */
void nd_timing_calibrate(struct nd_timing *timing, const struct nd_clock *clock,
                         void (*sample)(struct nd_timing *timing, struct nd_timing_row *row));

/* The work of a probe that has none, for a sample: it is called, and returns. */
void nd_timing_nothing(void);

/* Forget counts and times; what is known of probes and their sites stays. */
void nd_timing_reset(struct nd_timing *timing);

/* Around the work. Every enter has its leave, in reverse order. */
void nd_timing_enter(struct nd_timing *timing);
void nd_timing_leave(struct nd_timing *timing, struct nd_timing_row *row);

/* The part of row->total that is the probes' own work, rounded [ticks]; at most row->total. */
uint64_t nd_timing_cost(const struct nd_timing *timing, const struct nd_timing_row *row);

/* How many calls a row has counted, or why it counts none: ND_NOT_HOOKED, ND_NOT_BUILT. */
int64_t nd_timing_count(const struct nd_timing_row *row);

/* As results print it: "macro", "wrap", "pointer"; "unknown" otherwise. */
const char *nd_timing_tier_name(enum nd_timing_tier tier);

/* Make the console command `timing [reset]`, which prints the table. */
void nd_timing_command(struct nd_command *command, struct nd_timing *timing);

#ifdef __cplusplus
}
#endif
#endif

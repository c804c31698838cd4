/* SPDX-License-Identifier: BSD-3-Clause */
/* profile.h - where a simulated board's cycles went, function by function.
 *
 * Counted outside the firmware, which needs no change for it. A chain of calls is a context; the
 * contexts' cycles add up to those of the whole. */
#ifndef ND_SIM_PROFILE_H
#define ND_SIM_PROFILE_H

#include <stdint.h>

/* Functions of a firmware, and contexts that are met, at most. */
#define ND_SIM_FUNCTIONS 8192u
#define ND_SIM_CONTEXTS  32768u

/* Where a function lies. */
struct nd_sim_function {
    uint32_t start;
    uint32_t end; /* the first address behind it */
};

/* Of a function's calls that began and ended in the period: cycles from entry to return. */
struct nd_sim_calls {
    uint64_t count;
    uint64_t total;
    uint64_t min;
    uint64_t max;
};

/* What a function's own instructions moved: loads and stores whose address is not made of the stack
 * or program counter [byte]. Saved registers, spilled variables and constants are so left out. */
struct nd_sim_bytes {
    uint64_t loaded;
    uint64_t stored;
};

/* A function, called by a chain of others. Context 0 is where the device was when it started; a
 * parent comes before its children. */
struct nd_sim_context {
    uint32_t parent;
    uint32_t function; /* index plus 1; 0 = none of the table */
    uint64_t cycles;   /* of itself, without what it called */
    uint64_t entries;  /* calls that began */
};

/* A period, from one lockstep record of the device to another. */
struct nd_sim_profile {
    uint64_t cycles;       /* of the period: the sum of all contexts' */
    uint64_t instructions; /* executed in it */
    uint32_t context_count;
    uint32_t lost; /* contexts for which there was no room; their cycles went to their parents */
    struct nd_sim_context contexts[ND_SIM_CONTEXTS];
    struct nd_sim_calls calls[ND_SIM_FUNCTIONS + 1]; /* by context.function */
    struct nd_sim_bytes bytes[ND_SIM_FUNCTIONS + 1]; /* the same */
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* calls.h - who called whom, and how long it took: a stack of calls kept beside the device's own.
 *
 * The cycles between two changes of the function belong to the context that was in them, so that
 * the parts add up to the whole by construction. */
#ifndef ND_CYCLES_CALLS_H
#define ND_CYCLES_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "page.h"

#define ND__CALLS_DEPTH 512u

/* A call that has not returned. */
struct nd__call {
    uint32_t context;
    uint32_t way_back; /* address that it returns to */
    uint64_t entered;  /* [cycles] */
};

struct nd__calls {
    struct nd__page *page;
    struct nd__call stack[ND__CALLS_DEPTH]; /* stack[0] is where the device began */
    uint32_t depth;                         /* of the latest call */
    uint64_t charged;                       /* cycles that are somebody's */
    uint64_t began;                         /* the period [cycles] */
    uint64_t began_instructions;
    uint32_t context_count;
    uint32_t lost;
    uint32_t first_child[ND_SIM_CONTEXTS]; /* context; 0 = none */
    uint32_t next_child[ND_SIM_CONTEXTS];
    struct nd_sim_context contexts[ND_SIM_CONTEXTS];
    struct nd_sim_calls calls[ND_SIM_FUNCTIONS + 1];
    struct nd_sim_bytes bytes[ND_SIM_FUNCTIONS + 1]; /* counted by code that QEMU makes */
};

/* Begin, in no function. Large: not on a stack. */
void nd__calls_init(struct nd__calls *calls, struct nd__page *page);

/* The function at an address: index plus 1, or 0. */
uint32_t nd__calls_function(const struct nd__page *page, uint32_t address);

/* At a time [cycles] the device called a function. */
void nd__calls_enter(struct nd__calls *calls, uint32_t function, uint32_t way_back, uint64_t now);

/* It branched to an address as a register or the memory said: a return if somebody was called from
 * there. `function` is the one that it is now in. */
void nd__calls_leave(struct nd__calls *calls, uint32_t address, uint32_t function, uint64_t now);

/* It went on in another function without a call, which takes the former's place. */
void nd__calls_replace(struct nd__calls *calls, uint32_t function, uint64_t now);

/* At a mark: write the profile of the period that ends to the page, and begin another. */
void nd__calls_turn(struct nd__calls *calls, uint64_t now, uint64_t instructions);

#endif

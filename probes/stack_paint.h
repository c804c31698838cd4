/* SPDX-License-Identifier: BSD-3-Clause */
/* stack_paint.h - how deep a stack has ever been.
 *
 * The unused part of the stack is filled with a pattern at start; the lowest word that no longer
 * has it marks the deepest use. A function that reserves room and never writes to it leaves the
 * paint, so the figure may be a little low; it is never too high. Stacks grow down. */
#ifndef ND_STACK_PAINT_H
#define ND_STACK_PAINT_H

#include <stdint.h>

#include "nd/memory.h"

struct nd_stack_paint {
    uint32_t *low;  /* lowest word of the stack; NULL = not painted */
    uint32_t *high; /* one past its highest word */
};

/* Remember the stack [low, high) and paint it: all of it when the caller runs on another stack,
 * else what lies below the caller's own frame. */
void nd_stack_paint_start(struct nd_stack_paint *paint, uint32_t *low, uint32_t *high);

/* Fill in everything but the name. used_bytes is ND_NOT_SUPPORTED when the caller runs on another
 * stack; all numbers are ND_NOT_HOOKED when nothing was painted. Walks over the unused part. */
void nd_stack_paint_read(const struct nd_stack_paint *paint, struct nd_stack *stack);

#endif

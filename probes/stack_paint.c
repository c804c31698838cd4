/* SPDX-License-Identifier: BSD-3-Clause */
#include "stack_paint.h"

#include <stdbool.h>
#include <stddef.h>

/* No address, no small number and no text: unlikely to be pushed. */
#define PAINT 0xC5A3E19Bu

/* Below the caller's frame there may be registers of the running function itself. */
#define MARGIN_BYTES 64

static bool holds(const struct nd_stack_paint *paint, const uint32_t *at) {
    return (uintptr_t)at >= (uintptr_t)paint->low && (uintptr_t)at < (uintptr_t)paint->high;
}

static int64_t span_bytes(const volatile uint32_t *from, const uint32_t *to) {
    return (int64_t)((uintptr_t)to - (uintptr_t)from);
}

void nd_stack_paint_start(struct nd_stack_paint *paint, uint32_t *low, uint32_t *high) {
    const uint32_t *here = __builtin_frame_address(0);
    const uint32_t *end = high;
    paint->low = low;
    paint->high = high;
    if (holds(paint, here)) {
        bool room = span_bytes(low, here) > MARGIN_BYTES;
        end = room ? here - MARGIN_BYTES / sizeof(*low) : low;
    }
    /* volatile: a compiler that knew this memory to be dead would leave it unpainted */
    for (volatile uint32_t *word = low; word < end; word++) {
        *word = PAINT;
    }
}

void nd_stack_paint_read(const struct nd_stack_paint *paint, struct nd_stack *stack) {
    const uint32_t *here = __builtin_frame_address(0);
    if (paint->low == NULL) {
        stack->total_bytes = ND_NOT_HOOKED;
        stack->used_bytes = ND_NOT_HOOKED;
        stack->used_max = ND_NOT_HOOKED;
        return;
    }
    const volatile uint32_t *word = paint->low;
    while (word < paint->high && *word == PAINT) {
        word++;
    }
    stack->total_bytes = span_bytes(paint->low, paint->high);
    stack->used_bytes = holds(paint, here) ? span_bytes(here, paint->high) : ND_NOT_SUPPORTED;
    stack->used_max = span_bytes(word, paint->high);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What a mark of nd/span.h takes on a Cortex-M3. Between each two of the plugin's marks lies one,
 * or nothing; test_span.py knows the order. */
#include "nd/span.h"

static uint32_t counter;

static const struct nd_clock clock = {
    .counter = &counter, .name = "test", .hz = 1000000, .bits = 32, .kind = ND_CLOCK_CYCLES};

static struct nd_span_event events[16];

void reset(void);

__attribute__((section(".vectors"), used)) static const struct {
    uintptr_t stack;
    void (*reset)(void);
} vectors = {0x20008000, reset};

static inline void mark(void) {
    __asm__ volatile("dbg #13" ::: "memory");
}

static _Noreturn void leave(void) {
    __asm__ volatile("movs r0, #0x18\n\tldr r1, =0x20026\n\tbkpt 0xab\n\tb .");
    __builtin_unreachable();
}

void reset(void) {
    const struct nd_span_cfg cfg = {.clock = &clock, .events = events, .event_count = 16};

    nd_span_start(&cfg);
    mark();
    mark();
    mark();
    ND_SPAN_BEGIN(3);
    mark();
    mark();
    ND_SPAN_END(3);
    mark();
    mark();
    ND_SPAN_TASK(4);
    mark();
    leave();
}

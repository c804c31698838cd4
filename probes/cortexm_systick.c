/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers and bits: ARMv7-M Architecture Reference Manual, Arm DDI 0403, B3.3 (the system
 * timer). The counter counts down from the reload value to 0. */
#include "cortexm_systick.h"

#include <stddef.h>

struct systick {
    volatile uint32_t control;
    volatile uint32_t reload;
    volatile uint32_t current;
};

#define SYSTICK ((struct systick *)0xE000E010u)

#define CONTROL_ENABLE    (1u << 0)
#define CONTROL_PROCESSOR (1u << 2) /* the processor's clock; bit 1 clear: no interrupt */
#define WIDEST            0x00FFFFFFu

static uint32_t count_up(void *ctx) {
    (void)ctx;
    return WIDEST - SYSTICK->current;
}

void nd_cortexm_systick_start(struct nd_clock *clock, uint32_t hz) {
    SYSTICK->control = 0;
    SYSTICK->reload = WIDEST;
    SYSTICK->current = 0; /* any write clears it */
    SYSTICK->control = CONTROL_PROCESSOR | CONTROL_ENABLE;
    *clock = (struct nd_clock){
        .read = count_up, .name = "systick", .hz = hz, .bits = 24, .kind = ND_CLOCK_CYCLES};
}

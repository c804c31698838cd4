/* SPDX-License-Identifier: BSD-3-Clause */
/* Registers and bits: ARMv7-M Architecture Reference Manual, Arm DDI 0403, C1.6.5 (DEMCR), C1.8.7
 * (DWT_CTRL) and C1.8.8 (DWT_CYCCNT). */
#include "cortexm_dwt.h"

#define DEMCR      ((volatile uint32_t *)0xE000EDFCu)
#define DWT_CTRL   ((volatile uint32_t *)0xE0001000u)
#define DWT_CYCCNT ((volatile uint32_t *)0xE0001004u)

#define DEMCR_TRCENA       (1u << 24) /* the DWT unit is on */
#define DWT_CTRL_NOCYCCNT  (1u << 25) /* there is no cycle counter */
#define DWT_CTRL_CYCCNTENA (1u << 0)

/* Where the counter is missing without saying so, it stands still. */
static bool counts(void) {
    uint32_t start = *DWT_CYCCNT;

    for (unsigned i = 0; i < 16u; i++) {
        if (*DWT_CYCCNT != start) {
            return true;
        }
    }
    return false;
}

bool nd_cortexm_dwt_start(struct nd_clock *clock, uint32_t hz) {
    *DEMCR |= DEMCR_TRCENA;
    if ((*DWT_CTRL & DWT_CTRL_NOCYCCNT) != 0) {
        return false;
    }
    *DWT_CTRL |= DWT_CTRL_CYCCNTENA;
    if (!counts()) {
        return false;
    }
    *clock = (struct nd_clock){
        .counter = DWT_CYCCNT, .name = "dwt.cyccnt", .hz = hz, .bits = 32, .kind = ND_CLOCK_CYCLES};
    return true;
}

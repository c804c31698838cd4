/* SPDX-License-Identifier: BSD-3-Clause */
/* cortexm_systick.h - SysTick as a clock, where there is no cycle counter and no RTOS that has
 * taken it. */
#ifndef ND_CORTEXM_SYSTICK_H
#define ND_CORTEXM_SYSTICK_H

#include <stdint.h>

#include "nd/clock.h"

/* Let SysTick run freely on the processor's clock, without its interrupt, and describe it. It is 24
 * bits wide: at 96 MHz a piece of work must be over in 174 ms. hz: of that clock [cycles/s]. */
void nd_cortexm_systick_start(struct nd_clock *clock, uint32_t hz);

#endif

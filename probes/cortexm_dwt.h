/* SPDX-License-Identifier: BSD-3-Clause */
/* cortexm_dwt.h - the cycle counter of a Cortex-M3, M4, M7 or M33. */
#ifndef ND_CORTEXM_DWT_H
#define ND_CORTEXM_DWT_H

#include <stdbool.h>
#include <stdint.h>

#include "nd/clock.h"

/* Start the counter and describe it. hz: the processor's clock [cycles/s]. False when this core was
 * made without a counter (a Cortex-M0, QEMU); *clock is then untouched. */
bool nd_cortexm_dwt_start(struct nd_clock *clock, uint32_t hz);

#endif

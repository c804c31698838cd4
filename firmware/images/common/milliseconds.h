/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ND_MILLISECONDS_H
#define ND_MILLISECONDS_H

#include "board.h"

#include <stdint.h>

#define ND_MS_TICKS (ND_BOARD_HZ / 1000u)

/* Time of the latest exchange with the simulator, since start [ms]: more often is finer than any
 * timer of a stack. To be asked at least once in 2^32 ticks. */
uint32_t nd_milliseconds(void);

#endif

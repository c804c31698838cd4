/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ND_PLATFORM_H
#define ND_PLATFORM_H

#include "board.h"

#include <stdint.h>

#define ND_PLATFORM_MS_TICKS (ND_BOARD_HZ / 1000u)

/* Ticks until lwIP's next timer, at most a second of them. */
uint32_t nd_platform_wait(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ND_PLATFORM_H
#define ND_PLATFORM_H

#include <stdint.h>

/* Ticks until lwIP's next timer, at most a second of them. */
uint32_t nd_platform_wait(void);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* hardware/clocks.h - of the Pico SDK as much as the example needs, to compile it without. */
#ifndef HARDWARE_CLOCKS_H
#define HARDWARE_CLOCKS_H

#include <stdint.h>

enum clock_index { clk_sys = 5 };

uint32_t clock_get_hz(enum clock_index clock);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* board.h - what the example wants of the board. */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

struct pico_device;

/* Clocks and pins; and the cycle counter running. */
void board_start(void);

/* Where the cycles are counted (0xE0001004 on ARMv7-M), and how many a second there are. */
extern const volatile uint32_t *board_cycle_counter;
uint32_t board_core_hz(void);

/* Time since the start [ms]. */
uint32_t board_ms(void);

/* The driver of the Ethernet controller, made by pico_device_init(). */
struct pico_device *board_ethernet_device(void);

#endif

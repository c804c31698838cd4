/* SPDX-License-Identifier: BSD-3-Clause */
/* wired.h - the chip between the two simulations: its network end on the lockstep wire, its bus end
 * at the port, and the device's time moved by what the bus costs. */
#ifndef ND_WIRED_H
#define ND_WIRED_H

#include "options.h"

#include <stdint.h>

/* Power the chip. After nd_station_start(). */
void nd_wired_start(const struct nd_options *options);

/* Exchange with the simulator, waiting up to `wait` ticks for a frame, console input, or the chip's
 * own timers. */
void nd_wired_poll(uint32_t wait);

/* Time that the bus was busy, so far [ns]. */
uint64_t nd_wired_bus_ns(void);

/* Frames that the chip sent and the wire had no room for. */
uint32_t nd_wired_dropped_frames(void);

#endif

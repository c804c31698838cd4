/* SPDX-License-Identifier: BSD-3-Clause */
/* native.h - what only an image in a process of the host can do: say how long something took. */
#ifndef ND_NATIVE_H
#define ND_NATIVE_H

#include <stdint.h>

/* Work took so many ticks. */
void nd_native_work(uint32_t ticks);

/* From now on a read from the simulator counts as work of so many ticks; made up, and 0 where
 * nd_native_work() tells the time [ticks]. */
void nd_native_set_read_ticks(uint32_t ticks);

#endif

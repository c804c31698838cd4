/* SPDX-License-Identifier: BSD-3-Clause */
/* picotcp_host.h - what picoTCP asks of a program, from a heap and a time that the program owns,
 * without a change of picoTCP's sources.
 *
 * Memory: picoTCP calls memmeas_zalloc() and memmeas_free() when it was built with MEM_MEAS, else
 * the C library's malloc(), calloc() and free(), which the linker brings here (--wrap). Time:
 * pico_ms_tick, or on a POSIX host gettimeofday(), likewise; and what it prints there with printf()
 * is dropped. */
#ifndef ND_PICOTCP_HOST_H
#define ND_PICOTCP_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "heap.h"

#ifdef __cplusplus
extern "C" {
#endif

/* picoTCP's heap. Start it before pico_stack_init(); for reading. */
extern struct nd_heap nd_picotcp_heap;

/* Set picoTCP's time; it takes no more than one millisecond in a tick to notice. */
void nd_picotcp_set_ms(uint32_t ms);

#ifdef __cplusplus
}
#endif
#endif

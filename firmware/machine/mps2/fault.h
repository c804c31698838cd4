/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ND_FAULT_H
#define ND_FAULT_H

#include <stdint.h>

/* The end of every exception: say which and where on the console, then end the program. frame: the
 * stack pointer on entry, at the eight words that the processor pushed if there was room. */
_Noreturn void nd_fault(const uint32_t *frame);

#endif

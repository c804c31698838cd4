/* SPDX-License-Identifier: BSD-3-Clause */
/* pico_stack.h - of picoTCP as much as the example needs, to compile it without. */
#ifndef PICO_STACK_H
#define PICO_STACK_H

#include "declared.h"

int pico_stack_init(void);
void pico_stack_tick(void);

static inline uint32_t long_be(uint32_t value) {
    return __builtin_bswap32(value);
}

#endif

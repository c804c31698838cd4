/* SPDX-License-Identifier: BSD-3-Clause */
/* pico/stdlib.h - of the Pico SDK as much as the example needs, to compile it without. */
#ifndef PICO_STDLIB_H
#define PICO_STDLIB_H

#include <stdbool.h>
#include <stdint.h>

typedef unsigned int uint;

bool stdio_init_all(void);
int getchar_timeout_us(uint32_t timeout_us);
void sleep_ms(uint32_t ms);
uint32_t time_us_32(void);

#endif

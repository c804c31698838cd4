/* SPDX-License-Identifier: BSD-3-Clause */
/* hardware/gpio.h - of the Pico SDK as much as the example needs, to compile it without. */
#ifndef HARDWARE_GPIO_H
#define HARDWARE_GPIO_H

#include "pico/stdlib.h"

#define GPIO_OUT true

void gpio_init(uint pin);
void gpio_put(uint pin, bool value);
void gpio_set_dir(uint pin, bool out);

#endif

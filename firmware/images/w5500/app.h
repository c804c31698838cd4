/* SPDX-License-Identifier: BSD-3-Clause */
/* app.h - the agent over the chip. */
#ifndef ND_APP_H
#define ND_APP_H

#include "nd_w5500.h"
#include "options.h"

#include <stdbool.h>
#include <stdint.h>

/* Begin. The chip has power. */
void nd_app_start(const struct nd_options *options, const uint8_t mac[6]);

/* Work once. True when there may be more to do right away. */
bool nd_app_work(void);

/* How long it may then be left alone, unless the network wakes it [ticks]. */
uint64_t nd_app_sleep(void);

#endif

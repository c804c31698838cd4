/* SPDX-License-Identifier: BSD-3-Clause */
/* app.h - what runs on top of the stack in an image: the agent, or another program beside which it
 * is measured. All get the same main loop. */
#ifndef ND_APP_H
#define ND_APP_H

#include <stdbool.h>
#include <stdint.h>

/* What the boot line calls it, static. */
extern const char *const nd_app_name;

/* Begin. The stack and its interface are up. */
void nd_app_start(void);

/* Work once. True when there may be more to do right away. */
bool nd_app_work(void);

/* How long it may then be left alone, unless the network wakes it [ticks]. */
uint64_t nd_app_sleep(void);

#endif

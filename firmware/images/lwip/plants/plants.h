/* SPDX-License-Identifier: BSD-3-Clause */
/* plants.h - faults for the tests to find, in an image that was built for them. */
#ifndef ND_PLANTS_H
#define ND_PLANTS_H

#include "nd/console.h"

#ifndef ND_IMAGE_PLANTS
#define ND_IMAGE_PLANTS 0
#endif

/* Add the command `plant stall|stack|overflow`: the main loop stands still for 10 ms, once; the
 * stack is used to its last word; and to one word more. */
void nd_plants_add(struct nd_console *console);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* loads.h - the console's loads that no standard program has: stream and bypass. */
#ifndef ND_LOADS_H
#define ND_LOADS_H

#include "nd/console.h"

void nd_loads_add(struct nd_console *console);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* heap_watch.h - lwIP's heap over time: the commands `heap`, `heap reset` and `heap series`. */
#ifndef ND_HEAP_WATCH_H
#define ND_HEAP_WATCH_H

#include "nd/agent.h"
#include "nd/console.h"

void nd_heap_watch_start(struct nd_agent *agent, struct nd_console *console);

/* Once in every turn of the main loop. */
void nd_heap_watch_work(void);

#endif

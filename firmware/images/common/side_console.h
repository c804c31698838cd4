/* SPDX-License-Identifier: BSD-3-Clause */
/* side_console.h - the agent's console on the simulator's side channel. */
#ifndef ND_SIDE_CONSOLE_H
#define ND_SIDE_CONSOLE_H

#include "station.h"

#include "nd/console.h"

/* Nothing typed, nothing to print, no command between its steps. Asked in every turn of a main
 * loop, so it costs no call. */
static inline bool nd_side_console_rests(const struct nd_console *console) {
    const char *bytes;

    return nd_station_console_input(&bytes) == 0 && console->running == NULL &&
           console->lost_reports == 0 && console->out_head == console->out_tail;
}

/* Move what was typed in and what is to be said out. True when anything moved. */
bool nd_side_console_work(struct nd_console *console);

#endif

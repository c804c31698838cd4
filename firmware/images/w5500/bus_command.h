/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ND_BUS_COMMAND_H
#define ND_BUS_COMMAND_H

#include "nd/console.h"
#include "nd_w5500.h"

/* The console command "bus": what the chip cost on its bus since start, and what the port counted.
 * Command and port are the caller's. */
void nd_bus_command(struct nd_command *command, const struct nd_w5500 *port);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ND_DRIVER_COMMAND_H
#define ND_DRIVER_COMMAND_H

#include "nd/console.h"

/* The console command "driver": what the Ethernet driver dropped and waited for since start. The
 * command is the caller's. */
void nd_driver_command(struct nd_command *command);

#endif

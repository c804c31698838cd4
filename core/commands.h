/* SPDX-License-Identifier: BSD-3-Clause */
/* core/commands.h - the commands that every console has. */
#ifndef ND__COMMANDS_H
#define ND__COMMANDS_H

#include <stdbool.h>

#include "nd/console.h"

/* The first of the built-in commands' list; the list is constant and shared by all consoles, so
 * that a console's own commands are put in front of it. */
struct nd_command *nd__commands_list(void);

/* The command that runs in place of one that cannot: known tells whether the line itself was
 * readable (and the name unknown), or too long. */
struct nd_command *nd__commands_refuse(bool readable);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* serial_console.h - an agent's console at the end of a serial line, as a board has it at its UART.
 */
#ifndef ND_TOOL_SERIAL_CONSOLE_H
#define ND_TOOL_SERIAL_CONSOLE_H

#include "nd/agent.h"
#include "nd/console.h"
#include "posix.h"
#include "serial_line.h"

/* Owner: the caller; the console is used by nobody else. */
struct serial_console {
    struct nd_session session;
    struct serial_line line;
    struct nd_console console;
    struct nd_posix *posix; /* sleeps until something is typed */
    size_t typed_at;        /* next byte for the console */
    size_t typed_length;
    char typed[64]; /* off the line */
};

/* Open the line of this name, or make a pseudo terminal for "pty", and serve the console, which is
 * made, there until the agent is closed or the line cut. 0, or -1 with an error line. */
int serial_console_serve(struct serial_console *serial, struct nd_agent *agent,
                         struct nd_posix *posix, const char *name);

#endif

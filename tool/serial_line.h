/* SPDX-License-Identifier: BSD-3-Clause */
/* serial_line.h - a serial line, raw and without blocking: a UART's device file, or a pseudo
 * terminal made in its place. */
#ifndef ND_TOOL_SERIAL_LINE_H
#define ND_TOOL_SERIAL_LINE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The form of a name, and the rate when it says none [baud]. */
#define SERIAL_LINE_FORM                                                                           \
    "DEVICE or DEVICE@BAUD with BAUD one of 1200 to 4000000 that serial lines have"
#define SERIAL_LINE_BAUD 115200u

/* An open line. Owner: the caller. */
struct serial_line {
    int fd;
    int far_fd; /* of a pseudo terminal: its other end, kept open between its users; -1 = none */
    char path[PATH_MAX];
};

/* Whether text has the form. */
bool serial_line_is_form(const char *text);

/* Open DEVICE[@BAUD]: 8 data bits, no parity, one stop bit, no flow control, ours alone. 0, or -1
 * with why in error. */
int serial_line_open(struct serial_line *line, const char *text, char *error, size_t error_size);

/* Make a pseudo terminal; who opens line->path is at the other end. 0, or -1 with why in error. */
int serial_line_make(struct serial_line *line, char *error, size_t error_size);

/* Take, or hand over, up to size bytes: the count, ND_AGAIN, or ND_E_RESET when the line is gone.
 */
int serial_line_read(const struct serial_line *line, char *bytes, size_t size);
int serial_line_write(const struct serial_line *line, const char *bytes, size_t size);

/* Close it once what was written has left, or a moment has passed. */
void serial_line_close(struct serial_line *line);

#endif

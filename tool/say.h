/* SPDX-License-Identifier: BSD-3-Clause */
/* say.h - what the command says besides its result: errors and progress, on stderr. */
#ifndef ND_TOOL_SAY_H
#define ND_TOOL_SAY_H

#include <stdbool.h>

/* Exit codes of the command; an interrupted one answers 128 + the signal. */
enum say_exit {
    SAY_DONE = 0,   /* the result is complete */
    SAY_FAILED = 1, /* the measurement, or a part of it, failed */
    SAY_USAGE = 2   /* the command line was refused; nothing was started */
};

/* One line "netdyno: ..." on stderr. Line breaks in the text become spaces. */
void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same with the way to more help behind it; returns SAY_USAGE. command: NULL = none. */
int say_usage(const char *command, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Replace the progress line, when stderr is a terminal; an empty text removes it. */
void say_progress(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Write out stdout. `code`, or SAY_FAILED with an error line when the text did not get through. */
int say_flush(int code);

#endif

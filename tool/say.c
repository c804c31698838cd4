/* SPDX-License-Identifier: BSD-3-Clause */
#include "say.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Longest line; what is longer is cut, because an error is one line. */
#define LINE_BYTES 1024

static bool progress_shown;

static void format_line(char line[LINE_BYTES], const char *format, va_list args) {
    vsnprintf(line, LINE_BYTES, format, args);
    for (char *at = line; *at != '\0'; at++) {
        if (*at == '\n' || *at == '\r') {
            *at = ' ';
        }
    }
}

static void remove_progress(void) {
    if (progress_shown) {
        fputs("\r\033[K", stderr);
        progress_shown = false;
    }
}

void say_error(const char *format, ...) {
    char line[LINE_BYTES];
    va_list args;

    va_start(args, format);
    format_line(line, format, args);
    va_end(args);
    remove_progress();
    fprintf(stderr, "netdyno: %s\n", line);
}

int say_usage(const char *command, const char *format, ...) {
    char line[LINE_BYTES];
    va_list args;

    va_start(args, format);
    format_line(line, format, args);
    va_end(args);
    if (command == NULL) {
        fprintf(stderr, "netdyno: %s; see `netdyno help`\n", line);
    } else {
        fprintf(stderr, "netdyno: %s: %s; see `netdyno help %s`\n", command, line, command);
    }
    return SAY_USAGE;
}

void say_progress(const char *format, ...) {
    char line[LINE_BYTES];
    va_list args;

    if (!isatty(STDERR_FILENO)) {
        return;
    }
    va_start(args, format);
    format_line(line, format, args);
    va_end(args);
    remove_progress();
    if (line[0] != '\0') {
        fprintf(stderr, "  %s", line);
        progress_shown = true;
    }
}

int say_flush(int code) {
    if (fflush(stdout) != 0 || ferror(stdout)) {
        say_error("cannot write to standard output: %s", strerror(errno));
        return SAY_FAILED;
    }
    return code;
}

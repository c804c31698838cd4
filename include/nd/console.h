/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/console.h - a line-oriented command interpreter over any byte pipe.
 *
 * Text for people by default. After `json on` every line out is one JSON object with a
 * "kind": "end" closes a command, "report" is a finished test, others are a command's
 * items. A line may begin with "#N ", N a number the caller chose: every line that answers it
 * carries "id":N. A line can be edited as it is typed: backspace, Ctrl-U takes it all back,
 * Ctrl-C also ends the tests in progress, arrow up or Ctrl-P brings the latest line again. The
 * grammar is in docs/console.md. */
#ifndef ND_CONSOLE_H
#define ND_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nd/agent.h"
#include "nd/fmt.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Words of one command line, the command included. */
#define ND_CONSOLE_WORDS 24

struct nd_console;

/* One command. Owner: the caller, usually static; linked into a console's list. */
struct nd_command {
    const char *name;
    const char *usage; /* one line for `help`, static */
    /* Run step number `step` (0 ...) of the command. Writes at most one line (in JSON: one object)
     * of at most ND_CONSOLE_STEP_BYTES. ND_AGAIN: call again with the next step. ND_OK: done.
     * Another negative value: done with that result; console->message may say why. */
    int (*run)(struct nd_command *command, struct nd_console *console, unsigned step);
    void *ctx;
    struct nd_command *next; /* the console's */
};

/* Room that a step or a report is given, at most [byte]. */
#define ND_CONSOLE_STEP_BYTES 768

struct nd_console {
    struct nd_agent *agent;
    struct nd_command *commands;
    struct nd_report_sink sink;
    struct nd_command *running; /* the command between its steps; NULL = none */
    unsigned step;
    bool json;
    bool echo;        /* repeat what is typed, for a terminal: lines then end in CR LF */
    uint8_t escape;   /* bytes of an escape sequence seen so far */
    uint16_t history; /* bytes of the latest line, which stays in `line` until the next is typed */
    bool has_id;      /* the running line began with "#N " */
    bool overlong;    /* the line being read does not fit; refused at its end */
    uint32_t id;
    uint32_t lost_reports;   /* dropped for want of room, told when there is room */
    struct nd_command *gate; /* while set, it and `json` alone run, and no report is told; NULL =
                                open. nd/remote.h */
    const char *message;     /* why the running command failed; static; NULL = its result's name */
    int argc;
    char *argv[ND_CONSOLE_WORDS];
    uint32_t line_length;
    char line[ND_CFG_LINE_BYTES];
    uint32_t out_head; /* next byte to hand out */
    uint32_t out_tail; /* next byte to write */
    char out[ND_CFG_CONSOLE_OUT_BYTES];
};

/* Start a console with the commands help, json, echo, id, config, services, mem, stack, metrics and
 * stop. It becomes a report sink of the agent. */
void nd_console_init(struct nd_console *console, struct nd_agent *agent);

/* Add a command; a later one of the same name wins. */
void nd_console_add(struct nd_console *console, struct nd_command *command);

/* Feed typed bytes. Returns how many were taken [byte]; the rest must be offered again after the
 * running command has finished (nd_console_poll()). */
size_t nd_console_input(struct nd_console *console, const char *bytes, size_t len);

/* Run the next step of a command, if there is one and room for it. True when something was done. */
bool nd_console_poll(struct nd_console *console);

/* Borrow waiting output: *bytes points at the count returned; 0 = none. */
size_t nd_console_output(struct nd_console *console, const char **bytes);

/* The first len bytes of it went out. */
void nd_console_output_done(struct nd_console *console, size_t len);

/* Forget a half-typed line and the running command, as when a caller hangs up. Output is dropped.
 */
void nd_console_hangup(struct nd_console *console);

/* ---- for commands ------------------------------------------------------------------ */

/* Begin a line in the console's own output: in JSON, an object with "id" (of the running command)
 * and "kind"; in text, nothing yet. *out is the caller's and lives until nd_console_end(). */
void nd_console_begin(struct nd_console *console, struct nd_fmt *out, const char *kind);

/* Close the line and queue it whole; a line that was cut is dropped and counted as lost.
 * True when it was queued. */
bool nd_console_end(struct nd_console *console, struct nd_fmt *out);

#ifdef __cplusplus
}
#endif
#endif

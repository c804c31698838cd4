/* SPDX-License-Identifier: BSD-3-Clause */
/* role.h - one end of a standard program's protocol, on this machine's own stack.
 *
 * What the commands of such programs have in common: the stack, an agent, the document, errors that
 * are told on stderr and kept in the document, and the exit code. */
#ifndef ND_TOOL_ROLE_H
#define ND_TOOL_ROLE_H

#include <stdbool.h>
#include <stdint.h>

#include "host.h"
#include "nd/agent.h"
#include "result.h"

/* Owner: the caller; of no use before role_open(). */
struct role {
    const char *name; /* of the command */
    const char *json; /* where the document goes; NULL = nowhere */
    bool text;        /* lines go to stdout */
    bool failed;
    bool refused; /* because of the command line */
    struct host host;
    struct nd_agent agent;
    struct nd_report_sink sink;
    struct result result;
};

/* Open the stack with room for so many connections, and begin the document. put() gets every
 * report with ctx. False after an error line. */
bool role_open(struct role *role, const char *name, const char *target, const char *json,
               uint32_t conn_count, void (*put)(void *ctx, const struct nd_report *report),
               void *ctx);

/* Find the other end's address; false after the error was told and kept. */
bool role_find(struct role *role, const char *host, struct nd_addr *addr);

/* Tell an error, keep it in the document, and fail. */
void role_fail(struct role *role, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Tell a warning and keep it in the document. */
void role_warn(struct role *role, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Warn of datagrams that the path to *to fragments, and of a rate beyond that of the link, each
 * where this machine knows. bit_s: 0 = as fast as it goes. */
void role_check_datagrams(struct role *role, const struct nd_addr *to, uint64_t datagram_bytes,
                          uint64_t bit_s);

/* Fail because of a report that did not end well: one line with `who`, its message or its result.
 * A test that the user ended did not fail. */
void role_judge(struct role *role, const char *who, const struct nd_report *report);

/* Work until done() says so, or a signal came: then tests in progress report what they have. */
void role_run(struct role *role, bool (*done)(void *ctx), void *ctx);

/* Write the document, close everything; the exit code. */
int role_close(struct role *role);

#endif

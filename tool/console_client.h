/* SPDX-License-Identifier: BSD-3-Clause */
/* console_client.h - commands to a device's console, answers from it.
 *
 * Sends "#N command" and collects the JSON lines of that number up to "end". Reports of finished
 * tests come at any time and are kept until somebody takes them. Lines that are no JSON, as a
 * booting board prints, are counted and passed over; of one that begins with something else, the
 * JSON is taken. Over a target that loses bytes, a command without an answer is sent again.
 *
 * An image says "netdyno APPLICATION VERSION, IMAGE on BOARD" when it starts: read while a run is
 * in progress, that line means that the device has restarted, and all it knew is gone. */
#ifndef ND_TOOL_CONSOLE_CLIENT_H
#define ND_TOOL_CONSOLE_CLIENT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "target.h"

/* Longest line that a device may send; a longer one counts as garbage [byte]. */
#define CONSOLE_CLIENT_LINE_BYTES 4096

/* Of a boot line, as much is kept [byte]. */
#define CONSOLE_CLIENT_BOOT_BYTES 96

struct console_client {
    struct target *target;
    uint32_t first_id;      /* of the running command's first attempt */
    uint32_t id;            /* and of its latest */
    uint32_t items_id;      /* the attempt that the items answer */
    json_t *items;          /* array: lines of the running command */
    json_t *end;            /* its "end" line; NULL = not there yet */
    json_t *reports;        /* array: not yet taken */
    uint64_t garbage_lines; /* passed over */
    uint64_t broken_lines;  /* of these, the ones that began as JSON */
    uint64_t broken_before; /* as of the latest attempt */
    uint64_t heard_ns;      /* target's time when a byte last came */
    size_t length;
    bool overlong;
    bool ready; /* it has answered: from now on a boot line is a restart */
    char boot[CONSOLE_CLIENT_BOOT_BYTES]; /* boot line of a restart; "" = there was none */
    char line[CONSOLE_CLIENT_LINE_BYTES];
};

/* Start on an open target; switches its console to JSON, and presents the token if it has one.
 * ND_OK, or as console_client_run(). */
int console_client_open(struct console_client *client, struct target *target);

void console_client_close(struct console_client *client);

/* Read what the device sent since. ND_OK, or ND_E_RESET with target->error when it restarted. */
int console_client_read(struct console_client *client);

/* Run a command to its end. ND_OK, with *items (a new reference; items may be NULL) the array of
 * its lines; ND_E_TIMEOUT when no end came; ND_E_STOPPED after a signal; ND_E_UNSUPPORTED when the
 * device cannot, ND_E_PROTOCOL when it refused for another reason; or target_pump()'s error.
 * target->error has the line. */
int console_client_run(struct console_client *client, json_t **items, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Take the oldest report of this engine, role and phase ("" = one without); NULL when there is
 * none. The caller owns it. */
json_t *console_client_take_report(struct console_client *client, const char *engine,
                                   const char *role, const char *phase);

/* Forget the reports that are waiting. */
void console_client_drop_reports(struct console_client *client);

#endif

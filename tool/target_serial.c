/* SPDX-License-Identifier: BSD-3-Clause */
/* target_serial.c - serial:DEVICE[@BAUD]: a device whose console is at the end of a serial line.
 * Its data path is the network all the same; its `id` or --address tells where. */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include "nd/error.h"
#include "posix.h"
#include "result.h"
#include "serial_line.h"
#include "target.h"

/* Connections of a run: a test's listener and its connection, and some to spare. */
#define CONNS 8

/* A turn of the loop sleeps at most so long, so that limits are kept [ns]. */
#define TURN_NS 50000000u

/* Sleep while the line does not take all that is typed [ns]. */
#define BUSY_LINE_NS 2000000u

struct state {
    struct host host;
    struct serial_line line;
    int line_result; /* why the line ended; ND_OK while it stands */
    bool (*poll)(void *ctx);
    void *poll_ctx;
    size_t out_length;
    char out[1024]; /* typed, not yet taken by the line */
};

static void send_typed(struct state *state) {
    while (state->out_length > 0 && state->line_result == ND_OK) {
        int n = serial_line_write(&state->line, state->out, state->out_length);

        if (n == ND_AGAIN) {
            return;
        }
        if (n < 0) {
            state->line_result = n;
            return;
        }
        state->out_length -= (size_t)n;
        memmove(state->out, state->out + n, state->out_length);
    }
}

static int pump(struct target *target) {
    struct state *state = target->state;
    bool moved;

    send_typed(state);
    moved = state->poll(state->poll_ctx);
    if (state->line_result != ND_OK) {
        return target_fail(target, state->line_result,
                           "the device's console was lost: the serial line %s %s", state->line.path,
                           state->line_result == ND_E_FULL ? "takes no more bytes" : "was cut");
    }
    if (!moved) {
        host_wait(&state->host, state->out_length > 0 ? BUSY_LINE_NS : TURN_NS);
    }
    return ND_OK;
}

static void console_write(struct target *target, const char *bytes, size_t len) {
    struct state *state = target->state;

    if (len > sizeof state->out - state->out_length) {
        state->line_result = ND_E_FULL;
        return;
    }
    memcpy(state->out + state->out_length, bytes, len);
    state->out_length += len;
    send_typed(state);
}

static size_t console_read(struct target *target, char *bytes, size_t size) {
    struct state *state = target->state;
    int n = state->line_result;

    if (n != ND_OK) {
        return 0;
    }
    n = serial_line_read(&state->line, bytes, size);
    if (n > 0) {
        return (size_t)n;
    }
    if (n != ND_AGAIN) {
        state->line_result = n;
        nd_posix_unwatch(state->host.port_ctx, state->line.fd);
    }
    return 0;
}

static void describe(struct target *target, const struct target_cfg *cfg, json_t *result) {
    json_t *link = json_object();

    (void)target;
    (void)cfg;
    result_absent(link, "rate_bit_s", "link_rate_unknown");
    json_object_set_new(result, "link", link);
}

static void close_serial(struct target *target) {
    struct state *state = target->state;

    host_close(&state->host);
    serial_line_close(&state->line);
    free(state);
    target->state = NULL;
}

static int check(struct target *target, const struct target_cfg *cfg) {
    if (!serial_line_is_form(cfg->name + strlen(target->kind->prefix))) {
        return target_fail(target, ND_E_ARG, "target %s: expected serial:" SERIAL_LINE_FORM,
                           cfg->name);
    }
    return ND_OK;
}

static int start(struct target *target, struct state *state, const struct target_cfg *cfg) {
    const char *name = cfg->name + strlen(target->kind->prefix);

    if (serial_line_open(&state->line, name, target->error, sizeof target->error) != 0) {
        return ND_E_UNREACHABLE;
    }
    if (host_open(&state->host, CONNS) != 0) {
        serial_line_close(&state->line);
        return target_fail(target, ND_E_MEMORY, "cannot open this machine's stack");
    }
    if (nd_posix_watch(state->host.port_ctx, state->line.fd) != ND_OK) {
        host_close(&state->host);
        serial_line_close(&state->line);
        return target_fail(target, ND_E_UNSUPPORTED, "cannot wait for the serial line %s",
                           state->line.path);
    }
    return ND_OK;
}

static int open_serial(struct target *target, const struct target_cfg *cfg) {
    struct state *state = calloc(1, sizeof *state);
    int result = state != NULL ? start(target, state, cfg)
                               : target_fail(target, ND_E_MEMORY, "out of memory");

    if (result != ND_OK) {
        free(state);
        return result;
    }
    state->poll = cfg->poll;
    state->poll_ctx = cfg->poll_ctx;
    target->state = state;
    target->port = state->host.port;
    target->port_ctx = state->host.port_ctx;
    target->clock = state->host.clock;
    return ND_OK;
}

const struct target_kind target_serial = {
    .prefix = "serial:",
    .lossy = true,
    .check = check,
    .open = open_serial,
    .pump = pump,
    .console_write = console_write,
    .console_read = console_read,
    .describe = describe,
    .close = close_serial,
};

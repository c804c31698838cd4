/* SPDX-License-Identifier: BSD-3-Clause */
/* target_tcp.c - tcp://[TOKEN@]HOST[:PORT]: a device whose console is reached over the network. */
#include "target_tcp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nd/remote.h"
#include "result.h"
#include "signals.h"

/* Connections of a run: the console, a test's listener and its connection, and some to spare. */
#define CONNS 8

/* Longest wait for the console to answer a connection [ns]. */
#define CONNECT_LIMIT_NS 10000000000u

/* A turn of the loop sleeps at most so long, so that limits are kept [ns]. */
#define TURN_NS 50000000u

static void send_typed(struct target_tcp *state) {
    while (state->out_length > 0 && state->console_result == ND_OK) {
        int32_t n =
            state->host.port->tx(state->console, state->out, (uint32_t)state->out_length, 0);

        if (n == ND_AGAIN) {
            return;
        }
        if (n < 0) {
            state->console_result = n;
            return;
        }
        state->out_length -= (uint32_t)n;
        memmove(state->out, state->out + n, state->out_length);
    }
}

int target_tcp_pump(struct target *target) {
    struct target_tcp *state = target->state;
    bool moved;

    send_typed(state);
    moved = state->poll(state->poll_ctx);
    if (state->console_result != ND_OK) {
        return target_fail(target, state->console_result, "the device's console was lost: %s",
                           nd_error_name(state->console_result));
    }
    if (!moved) {
        host_wait(&state->host, TURN_NS);
    }
    return ND_OK;
}

void target_tcp_write(struct target *target, const char *bytes, size_t len) {
    struct target_tcp *state = target->state;

    if (len > sizeof state->out - state->out_length) {
        state->console_result = ND_E_FULL; /* the device stopped reading long ago */
        return;
    }
    memcpy(state->out + state->out_length, bytes, len);
    state->out_length += len;
    send_typed(state);
}

size_t target_tcp_read(struct target *target, char *bytes, size_t size) {
    struct target_tcp *state = target->state;
    const void *borrowed;
    int32_t n;

    if (state->console_result != ND_OK) {
        return 0;
    }
    n = state->host.port->rx(state->console, &borrowed);
    if (n == ND_AGAIN) {
        return 0;
    }
    if (n < 0) {
        state->console_result = n;
        return 0;
    }
    if ((size_t)n > size) {
        n = (int32_t)size;
    }
    memcpy(bytes, borrowed, (size_t)n);
    state->host.port->rx_done(state->console, (uint32_t)n);
    return (size_t)n;
}

void target_tcp_describe(struct target *target, const struct target_cfg *cfg, json_t *result) {
    const struct target_tcp *state = target->state;
    struct nd_conn_info info;
    json_t *link = json_object();

    (void)cfg;
    state->host.port->info(state->console, &info);
    result_absent(link, "rate_bit_s", "link_rate_unknown");
    result_value(link, "console_mss_bytes",
                 info.mss_bytes > 0 ? info.mss_bytes : (int64_t)ND_NOT_SUPPORTED);
    json_object_set_new(result, "link", link);
}

void target_tcp_close(struct target *target) {
    struct target_tcp *state = target->state;

    if (state->console != NULL) {
        state->host.port->close(state->console);
    }
    host_close(&state->host);
    free(state);
    target->state = NULL;
}

static int await_console(struct target *target, struct target_tcp *state) {
    struct nd_stopwatch watch;
    int status;

    nd_stopwatch_start(&watch, state->host.clock);
    while ((status = state->host.port->status(state->console)) == ND_AGAIN) {
        if (signals_caught() != 0) {
            return target_fail(target, ND_E_STOPPED, "interrupted");
        }
        if (nd_clock_ns(nd_stopwatch_read(&watch), state->host.clock->hz) > CONNECT_LIMIT_NS) {
            return ND_E_TIMEOUT;
        }
        state->host.port->step(state->host.port_ctx);
        host_wait(&state->host, TURN_NS);
    }
    return status;
}

int target_tcp_connect(struct target *target, const struct target_cfg *cfg,
                       const struct nd_addr *console) {
    struct target_tcp *state = calloc(1, sizeof *state);
    struct nd_conn_info info;
    char where[ND_ADDR_TEXT_BYTES];
    int result;

    if (state == NULL || host_open(&state->host, CONNS) != 0) {
        free(state);
        return target_fail(target, ND_E_MEMORY, "cannot open this machine's stack");
    }
    target->state = state;
    state->poll = cfg->poll;
    state->poll_ctx = cfg->poll_ctx;
    nd_addr_format(console, where);
    result = state->host.port->connect(state->host.port_ctx, console, &state->console);
    if (result == ND_OK) {
        result = await_console(target, state);
    }
    if (result != ND_OK) {
        target_tcp_close(target);
        return result == ND_E_STOPPED
                   ? result
                   : target_fail(target, result, "cannot reach the console at %s: %s", where,
                                 nd_error_name(result));
    }
    state->host.port->info(state->console, &info);
    target->port = state->host.port;
    target->port_ctx = state->host.port_ctx;
    target->clock = state->host.clock;
    target->device = info.peer;
    target->device.port = 0;
    target->peer = info.local;
    target->peer.port = 0;
    return ND_OK;
}

/* Put the token of the name, or else the environment's, into *target. What stands behind it; NULL
 * when it cannot be typed. */
static const char *split_token(struct target *target, const char *name) {
    const char *rest = name + strlen(target->kind->prefix);
    const char *at = strrchr(rest, '@');
    const char *token = at != NULL ? rest : token_find(NULL);
    size_t length = at != NULL ? (size_t)(at - rest) : token != NULL ? strlen(token) : 0;

    if (token != NULL && !token_is_fit(token, length)) {
        return NULL;
    }
    snprintf(target->token, sizeof target->token, "%.*s", (int)length, token != NULL ? token : "");
    return at != NULL ? at + 1 : rest;
}

/* The form of the name; whether there is such a host is seen when it is opened. */
static int check_tcp(struct target *target, const struct target_cfg *cfg) {
    const char *host = split_token(target, cfg->name);
    char shown[TARGET_NAME_BYTES];

    if (host == NULL) {
        return target_fail(target, ND_E_ARG, "expected a token of " TOKEN_FORM);
    }
    if (!host_is_form(host)) {
        return target_fail(target, ND_E_ARG,
                           "target %s: expected tcp://HOST or tcp://HOST:PORT with PORT 1 to 65535",
                           target_shown_name(cfg->name, shown));
    }
    return ND_OK;
}

static int open_tcp(struct target *target, const struct target_cfg *cfg) {
    struct nd_addr console = {.port = ND_REMOTE_PORT};
    int result =
        host_resolve(split_token(target, cfg->name), &console, target->error, sizeof target->error);

    if (result != 0) {
        return result;
    }
    return target_tcp_connect(target, cfg, &console);
}

const struct target_kind target_tcp = {
    .prefix = "tcp://",
    .check = check_tcp,
    .open = open_tcp,
    .pump = target_tcp_pump,
    .console_write = target_tcp_write,
    .console_read = target_tcp_read,
    .describe = target_tcp_describe,
    .close = target_tcp_close,
};

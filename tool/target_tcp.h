/* SPDX-License-Identifier: BSD-3-Clause */
/* target_tcp.h - what target_local.c shares with target_tcp.c: a console reached over TCP. */
#ifndef ND_TOOL_TARGET_TCP_H
#define ND_TOOL_TARGET_TCP_H

#include <sys/types.h>

#include "host.h"
#include "target.h"

/* The state of both kinds. */
struct target_tcp {
    struct host host;
    struct nd_conn *console;
    int console_result; /* why the console ended; ND_OK while it stands */
    pid_t child;        /* the agent of a local target; 0 = none */
    bool (*poll)(void *ctx);
    void *poll_ctx;
    size_t out_length;
    char out[1024]; /* typed, not yet taken by the stack */
};

/* Make the state and connect to the console. ND_OK; or an error with target->error. */
int target_tcp_connect(struct target *target, const struct target_cfg *cfg,
                       const struct nd_addr *console);

/* The calls of struct target_kind. */
int target_tcp_pump(struct target *target);
void target_tcp_write(struct target *target, const char *bytes, size_t len);
size_t target_tcp_read(struct target *target, char *bytes, size_t size);
void target_tcp_describe(struct target *target, const struct target_cfg *cfg, json_t *result);
void target_tcp_close(struct target *target);

#endif

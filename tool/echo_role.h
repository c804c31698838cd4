/* SPDX-License-Identifier: BSD-3-Clause */
/* echo_role.h - the caller of an echo service: what the commands rr and echo have in common. */
#ifndef ND_TOOL_ECHO_ROLE_H
#define ND_TOOL_ECHO_ROLE_H

#include "nd/rr.h"

/* What the options say, in the units of opt.h. */
struct echo_role_options {
    bool udp;
    bool connect;
    uint64_t port;
    uint64_t bytes;
    uint64_t count;
    uint64_t time_ns;
    uint64_t period_ns;
    uint64_t timeout_ns;
    const char *json;
};

/* Run the test with HOST and tell what it came to; the exit code. `name`: of the command. */
int echo_role_run(const char *name, const char *host, const struct echo_role_options *options);

#endif

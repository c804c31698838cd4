/* SPDX-License-Identifier: BSD-3-Clause */
/* host.h - this machine's own network stack, ready for engines. */
#ifndef ND_TOOL_HOST_H
#define ND_TOOL_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include "nd/agent.h"

struct nd_posix;

/* The port, its context and clock, and how long this process did not work. */
struct host {
    const struct nd_port *port;
    struct nd_posix *port_ctx;
    const struct nd_clock *clock;
    const uint64_t *idle_ticks; /* not at work so far, as of clock's latest reading [ticks of it] */
};

/* Open the stack with room for so many connections and listeners. 0, or -1 with an error line. */
int host_open(struct host *host, uint32_t conn_count);

void host_close(struct host *host);

/* Sleep until the network or a signal brings something, at most limit_ns; and never so long that
 * the clock could wrap unseen. */
void host_wait(struct host *host, uint64_t limit_ns);

/* Poll the agent, sleeping when there is nothing to do, until done() says so or a signal came.
 * done may be NULL. */
void host_run(struct host *host, struct nd_agent *agent, bool (*done)(void *ctx), void *ctx);

/* What the world's clock says [us since 1970]. */
uint64_t host_time_us(void);

/* Find the address of a host by name or number. `text` is HOST, HOST:PORT or [IPV6]:PORT; *addr
 * keeps its port when text names none. 0; ND_E_ARG when text is of another form and
 * ND_E_UNREACHABLE when there is no such host, with why in error. */
int host_resolve(const char *text, struct nd_addr *addr, char *error, size_t error_size);

/* Whether `text` has one of these forms, without looking for the host. */
bool host_is_form(const char *text);

/* What this machine knows of the way to another. */
struct host_route {
    struct nd_addr local; /* this end's address on it, port 0; family 0 = there is no way */
    uint64_t mtu_bytes;   /* largest IP packet [byte]; 0 = not known */
    uint64_t link_bit_s;  /* rate of the first link [bit/s]; 0 = not known */
};

struct host_route host_find_route(const struct nd_addr *to);

#endif

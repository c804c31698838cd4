/* SPDX-License-Identifier: BSD-3-Clause */
/* stack.h - what an image's stack gives to the agent on top of it, and what it has to hold. */
#ifndef ND_STACK_H
#define ND_STACK_H

#include "nd/agent.h"
#include "nd/bypass.h"
#include "nd/iperf3.h"
#include "nd/ping.h"

/* Callers that each of the small servers takes at a time, and streams of an iperf 3 test, both
 * directions counted. */
#define ND_APP_CALLERS 2u
#ifndef ND_APP_IPERF3_STREAMS
#define ND_APP_IPERF3_STREAMS 4u
#endif

/* Listeners: the servers of docs/console.md, ttcp, and one that a command begins. */
#define ND_APP_LISTENERS 8u

/* Sockets: echo, discard, chargen and iperf over UDP, and one that a command begins. */
#define ND_APP_SOCKETS 5u

/* Slots of the port: those, memtest's, ttcp's and stream's connection, three servers' callers, and
 * iperf's tests, or iperf 3's control connection, streams and callers: whoever comes first. */
#define ND_APP_SLOTS                                                                               \
    (ND_APP_LISTENERS + ND_APP_SOCKETS + 3u + 3u * ND_APP_CALLERS + 1u + ND_APP_IPERF3_STREAMS +   \
     ND_IPERF3_CALLERS)

/* Make the port of ND_APP_SLOTS, and name it, its memory and the interface's address in *cfg. Ends
 * the program on failure. */
void nd_stack_open(struct nd_agent_cfg *cfg);

/* The way for echo requests; NULL = ping is not supported. */
extern const struct nd_ping_path *const nd_stack_ping;

/* The way around the stack. */
extern const struct nd_bypass_path nd_stack_bypass;

#endif

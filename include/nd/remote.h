/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/remote.h - a console that is reached over the network, one caller at a time. Another waits
 * until this one hangs up or has been silent for the agent's idle limit.
 *
 * Off unless the owner opens it: whoever reaches this port commands the agent. With a token, the
 * caller's first command but `json` must be `token TOKEN`; a wrong one ends the connection. It
 * crosses the network as it is and guards against strangers, not against listeners. */
#ifndef ND_REMOTE_H
#define ND_REMOTE_H

#include "nd/console.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ND_REMOTE_PORT 5055u

/* Owner: the caller; the console is used by nobody else. */
struct nd_remote {
    struct nd_service service;
    struct nd_session session;
    struct nd_console *console;
    struct nd_command command; /* token */
    const char *token;
    bool denied; /* a wrong one was presented */
};

/* Offer the console at *at. token: without blanks, outlives the service; NULL = none is asked for,
 * and any is accepted. Returns the port's result. */
int nd_remote_serve(struct nd_remote *remote, struct nd_agent *agent, const struct nd_addr *at,
                    struct nd_console *console, const char *token);

#ifdef __cplusplus
}
#endif
#endif

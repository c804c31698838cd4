/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/discard.h - discard over TCP (RFC 863): takes everything, answers nothing. */
#ifndef ND_DISCARD_H
#define ND_DISCARD_H

#include "nd/agent.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ND_DISCARD_PORT 9u /* RFC 863 */

/* One connection of a discard server. */
struct nd_discard_conn {
    struct nd_session session;
    struct nd_flow flow;
    uint64_t begin; /* [ticks] */
    bool ending;
};

/* Owner: the caller, conns[] included. */
struct nd_discard_server {
    struct nd_service service;
    struct nd_discard_conn *conns;
    uint32_t conn_count;
};

/* Serve up to conn_count connections at *at. Returns the port's result. */
int nd_discard_serve(struct nd_discard_server *server, struct nd_agent *agent,
                     const struct nd_addr *at, struct nd_discard_conn *conns, uint32_t conn_count);

#ifdef __cplusplus
}
#endif
#endif

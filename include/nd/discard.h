/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/discard.h - discard over TCP (RFC 863): takes everything, answers nothing. */
#ifndef ND_DISCARD_H
#define ND_DISCARD_H

#include "nd/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ND_DISCARD_PORT 9u /* RFC 863 */

/* Serve up to conn_count connections at *at. Returns the port's result. */
int nd_discard_serve(struct nd_stream_server *server, struct nd_agent *agent,
                     const struct nd_addr *at, struct nd_stream_conn *conns, uint32_t conn_count);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/chargen.h - character generator over TCP (RFC 864): sends lines of 72 of the 95 printable
 * characters, each line one character further on, until the caller hangs up. */
#ifndef ND_CHARGEN_H
#define ND_CHARGEN_H

#include "nd/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ND_CHARGEN_PORT 19u /* RFC 864 */

/* Serve up to conn_count connections at *at. Returns the port's result. */
int nd_chargen_serve(struct nd_stream_server *server, struct nd_agent *agent,
                     const struct nd_addr *at, struct nd_stream_conn *conns, uint32_t conn_count);

#ifdef __cplusplus
}
#endif
#endif

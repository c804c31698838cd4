/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/echo.h - echo over TCP (RFC 862): the server, and a client that times round trips. */
#ifndef ND_ECHO_H
#define ND_ECHO_H

#include "nd/stream.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ND_ECHO_PORT          7u    /* RFC 862 */
#define ND_ECHO_MESSAGE_BYTES 1024u /* longest message of a client [byte] */

/* Serve up to conn_count connections at *at. Returns the port's result. */
int nd_echo_serve(struct nd_stream_server *server, struct nd_agent *agent, const struct nd_addr *at,
                  struct nd_stream_conn *conns, uint32_t conn_count);

/* What a client does: `messages` round trips of `bytes` each, one after the other. */
struct nd_echo_client_cfg {
    struct nd_addr to;
    uint32_t bytes;          /* per message [byte], 1..ND_ECHO_MESSAGE_BYTES */
    uint32_t messages;       /* to send and get back, above 0 */
    struct nd_hist *latency; /* the caller's; gets round trips in ns. NULL = not kept */
};

struct nd_echo_client {
    struct nd_session session;
    struct nd_echo_client_cfg cfg;
    struct nd_flow flow;
    uint64_t begin;   /* connection stood [ticks] */
    uint64_t sent_at; /* this message [ticks] */
    uint32_t done;    /* messages finished */
    uint32_t out;     /* bytes of this message sent [byte] */
    uint32_t back;    /* bytes of it come back and compared [byte] */
    bool connected;
    bool ending;
};

/* Begin. A byte that comes back changed ends the test with ND_E_PROTOCOL. ND_OK, ND_E_ARG or the
 * port's result. */
int nd_echo_connect(struct nd_echo_client *client, struct nd_agent *agent,
                    const struct nd_echo_client_cfg *cfg);

#ifdef __cplusplus
}
#endif
#endif

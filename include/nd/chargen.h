/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/chargen.h - character generator (RFC 864): over TCP it sends lines of 72 of the 95 printable
 * characters, each line one character further on, until the caller hangs up; the client takes them
 * and counts. The client knows UDP too, where each datagram is answered by one of characters. */
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

/* ---- client ------------------------------------------------------------------------ */

#define ND_CHARGEN_REQUEST_BYTES 512u /* UDP: a request, when nobody says how long [byte] */
#define ND_CHARGEN_REQUEST_MAX   1520u
#define ND_CHARGEN_TIMEOUT_MS    500u /* UDP: an answer that has not come then is lost [ms] */
#define ND_CHARGEN_SECONDS       10u

/* What a client does. All zero but `to` is 10 seconds of TCP. */
struct nd_chargen_client_cfg {
    struct nd_addr to; /* port 0 = ND_CHARGEN_PORT */
    bool udp;
    uint64_t count;         /* TCP: bytes, UDP: answers to receive; 0 = no limit */
    uint64_t duration_ns;   /* end after so long; 0 without count = 10 s */
    uint32_t request_bytes; /* UDP: of a request; 0 = ND_CHARGEN_REQUEST_BYTES [byte] */
};

/* A test. Owner: the caller; in use until its report has gone out (session.number is 0). */
struct nd_chargen_client {
    struct nd_session session;
    struct nd_chargen_client_cfg cfg;
    struct nd_flow flow;
    uint64_t begin; /* [ticks] */
    uint64_t until; /* end then [ticks] */
    uint64_t asked; /* UDP: requests sent */
    uint64_t answered;
    uint64_t lost;    /* UDP: requests without an answer in time */
    uint64_t late;    /* UDP: answers after that */
    uint64_t give_up; /* UDP: the present request is lost then [ticks] */
    bool connected;   /* TCP */
    bool asking;      /* UDP: a request is on its way */
};

/* Begin. Over TCP the server is hung up on in mid-sentence: it has no other end. ND_OK; ND_E_ARG
 * for a request too long; ND_E_STATE when *client is in use; ND_E_UNSUPPORTED without UDP; or the
 * port's result. */
int nd_chargen_connect(struct nd_chargen_client *client, struct nd_agent *agent,
                       const struct nd_chargen_client_cfg *cfg);

#ifdef __cplusplus
}
#endif
#endif

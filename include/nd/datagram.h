/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/datagram.h - echo, discard and chargen over UDP (RFC 862, 863, 864).
 *
 * They answer at most one datagram with one of no greater length, never to a port of another such
 * service (7, 13, 17, 19, 37, 53, 69, 123) and never to an address that is not of one machine: no
 * loop is begun and nothing is amplified. An answer that the stack has no room for is dropped. */
#ifndef ND_DATAGRAM_H
#define ND_DATAGRAM_H

#include "nd/agent.h"

#ifdef __cplusplus
extern "C" {
#endif

enum nd_datagram_kind {
    ND_DATAGRAM_ECHO,    /* the whole datagram goes back to its sender */
    ND_DATAGRAM_DISCARD, /* nothing is answered */
    ND_DATAGRAM_CHARGEN  /* characters, as many as came, at most 512 */
};

/* One service. Owner: the caller, who only reads. */
struct nd_datagram_server {
    struct nd_session session;
    enum nd_datagram_kind kind;
    struct nd_addr at; /* where it listens, the port filled in */
    uint64_t begin;    /* [ticks] */
    struct nd_flow flow;
    uint64_t rx_datagrams;
    uint64_t tx_datagrams;
    uint64_t tx_failures; /* answers that the stack had no room for */
    uint64_t refused;     /* datagrams of senders that are not answered */
    uint32_t offset;      /* chargen: the next answer's place in its pattern */
};

/* Serve at *at, port 0: the stack chooses. ND_OK; ND_E_UNSUPPORTED without UDP; or the port's
 * result. One report comes when it is closed. */
int nd_datagram_serve(struct nd_datagram_server *server, struct nd_agent *agent,
                      enum nd_datagram_kind kind, const struct nd_addr *at);

/* Report and close. Not from inside nd_agent_poll(). */
void nd_datagram_close(struct nd_datagram_server *server);

#ifdef __cplusplus
}
#endif
#endif

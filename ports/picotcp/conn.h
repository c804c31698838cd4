/* SPDX-License-Identifier: BSD-3-Clause */
/* conn.h - what the files of this port share: slots, addresses, results. */
#ifndef ND_PICOTCP_CONN_H
#define ND_PICOTCP_CONN_H

#include "picotcp.h"

#include "pico_ipv4.h"
#include "pico_socket.h"

/* nd_picotcp_conn.kind */
enum {
    ND__PICOTCP_FREE,
    ND__PICOTCP_LISTENER,
    ND__PICOTCP_TCP,
    ND__PICOTCP_UDP,
};

/* The connection behind the handle that engines hold. */
static inline struct nd_picotcp_conn *nd__picotcp_conn(struct nd_conn *conn) {
    return (struct nd_picotcp_conn *)conn;
}

static inline struct nd_conn *nd__picotcp_handle(struct nd_picotcp_conn *conn) {
    return (struct nd_conn *)conn;
}

/* Take a free slot for this kind, otherwise zero; NULL when there is none. A TCP connection gets a
 * stage with it. */
struct nd_picotcp_conn *nd__picotcp_take(struct nd_picotcp *port, uint8_t kind);

/* Give the slot and its stage back. */
void nd__picotcp_free(struct nd_picotcp_conn *conn);

/* pico_err as a result of nd/error.h, for a call that failed. */
int nd__picotcp_result(pico_err_t err);

/* The same, and remember it. */
int nd__picotcp_failed(struct nd_picotcp_conn *conn);

/* An address for picoTCP; false when it is not IPv4 (or any). */
bool nd__picotcp_ip(const struct nd_addr *addr, struct pico_ip4 *ip);

/* An end in the agent's form; port: as picoTCP has it, the first byte on the wire lowest. */
struct nd_addr nd__picotcp_addr(const struct pico_ip4 *ip, uint16_t port);

/* A number that no socket of this protocol has. */
uint16_t nd__picotcp_choose_port(struct nd_picotcp *port, uint16_t protocol);

/* A socket has no connection any more; picoTCP calls nobody about it. */
void nd__picotcp_detach(struct nd_picotcp_conn *conn);

#endif

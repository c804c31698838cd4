/* SPDX-License-Identifier: BSD-3-Clause */
/* conn.h - what the files of this port share: slots, addresses, results. */
#ifndef ND_LWIP_RAW_CONN_H
#define ND_LWIP_RAW_CONN_H

#include <stdbool.h>

#include "lwip_raw.h"

/* nd_lwip_raw_conn.kind */
enum {
    ND__LWIP_RAW_FREE,
    ND__LWIP_RAW_LISTENER,
    ND__LWIP_RAW_TCP,
    ND__LWIP_RAW_UDP,
};

/* The connection behind the handle that engines hold. */
static inline struct nd_lwip_raw_conn *nd__lwip_raw_conn(struct nd_conn *conn) {
    return (struct nd_lwip_raw_conn *)conn;
}

static inline struct nd_conn *nd__lwip_raw_handle(struct nd_lwip_raw_conn *conn) {
    return (struct nd_conn *)conn;
}

/* Take a free slot for this kind, otherwise zero; NULL when there is none. */
struct nd_lwip_raw_conn *nd__lwip_raw_take(struct nd_lwip_raw *port, uint8_t kind);

/* lwIP's code as a result of nd/error.h, for a call that failed. */
int nd__lwip_raw_result(err_t err);

/* An address for lwIP; false when it is not IPv4 (or any). */
bool nd__lwip_raw_ip(const struct nd_addr *addr, ip_addr_t *ip);

/* An end in the agent's form. */
struct nd_addr nd__lwip_raw_addr(const struct nd_lwip_raw_end *end);

#endif

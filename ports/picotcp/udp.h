/* SPDX-License-Identifier: BSD-3-Clause */
/* udp.h - datagram sockets. */
#ifndef ND_PICOTCP_UDP_H
#define ND_PICOTCP_UDP_H

#include "conn.h"

/* nd_port's calls. */
int nd__picotcp_udp_open(void *ctx, const struct nd_addr *at, struct nd_conn **socket);
int32_t nd__picotcp_udp_tx(struct nd_conn *socket, const struct nd_addr *to, const void *bytes,
                           uint32_t len, unsigned flags);
int32_t nd__picotcp_udp_rx(struct nd_conn *socket, struct nd_addr *from, const void **bytes);

/* A socket's part of nd_port's shared calls. */
void nd__picotcp_udp_rx_done(struct nd_picotcp_conn *conn);
void nd__picotcp_udp_close(struct nd_picotcp_conn *conn);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp.h - TCP connections from their socket on; open.c makes and takes the sockets. */
#ifndef ND_PICOTCP_TCP_H
#define ND_PICOTCP_TCP_H

#include "conn.h"

/* picoTCP calls this of every TCP socket of the port. */
void nd__picotcp_tcp_event(uint16_t events, struct pico_socket *socket);

/* Make this socket the connection's. */
void nd__picotcp_attach(struct nd_picotcp_conn *conn, struct pico_socket *socket);

/* Its handshake is complete. */
void nd__picotcp_established(struct nd_picotcp_conn *conn);

/* Leave a socket to picoTCP: broken off with an RST, or to finish by itself. */
void nd__picotcp_abort(struct pico_socket *socket);
void nd__picotcp_forget(struct pico_socket *socket);

/* Payload of a full segment, options taken off [byte]. */
uint32_t nd__picotcp_payload(struct pico_socket *socket);

/* nd_port's calls on a connection. */
int32_t nd__picotcp_tx(struct nd_conn *conn, const void *bytes, uint32_t len, unsigned flags);
int32_t nd__picotcp_rx(struct nd_conn *conn, const void **bytes);
int nd__picotcp_end(struct nd_conn *conn);

/* A connection's part of nd_port's shared calls. */
bool nd__picotcp_tcp_rx_done(struct nd_picotcp_conn *conn, uint32_t len);
void nd__picotcp_tcp_close(struct nd_picotcp_conn *conn);

#endif

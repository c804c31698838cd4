/* SPDX-License-Identifier: BSD-3-Clause */
/* tcp.h - TCP connections from their pcb on; open.c makes and takes the pcbs. */
#ifndef ND_LWIP_RAW_TCP_H
#define ND_LWIP_RAW_TCP_H

#include "conn.h"

/* Make this fresh pcb the connection's. */
void nd__lwip_raw_attach(struct nd_lwip_raw_conn *conn, struct tcp_pcb *pcb);

/* Leave this pcb to lwIP: it calls nobody any more. */
void nd__lwip_raw_forget(struct tcp_pcb *pcb);

/* Send the SYN of an attached connection. */
err_t nd__lwip_raw_call(struct nd_lwip_raw_conn *conn, const struct nd_lwip_raw_end *peer);

/* nd_port's calls on a connection. */
int32_t nd__lwip_raw_tx(struct nd_conn *conn, const void *bytes, uint32_t len, unsigned flags);
int32_t nd__lwip_raw_rx(struct nd_conn *conn, const void **bytes);
int nd__lwip_raw_end(struct nd_conn *conn);

/* A connection's part of nd_port's shared calls. */
bool nd__lwip_raw_tcp_rx_done(struct nd_lwip_raw_conn *conn, uint32_t len);
void nd__lwip_raw_tcp_info(const struct nd_lwip_raw_conn *conn, struct nd_conn_info *info);
void nd__lwip_raw_tcp_close(struct nd_lwip_raw_conn *conn);

/* Send what was held back. */
void nd__lwip_raw_tcp_flush(struct nd_lwip_raw *port);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* open.h - how connections come to be: nd_port's listen, accept and connect. */
#ifndef ND_PICOTCP_OPEN_H
#define ND_PICOTCP_OPEN_H

#include "conn.h"

int nd__picotcp_listen(void *ctx, const struct nd_addr *at, struct nd_conn **listener);
int nd__picotcp_accept(struct nd_conn *listener, struct nd_conn **conn);
int nd__picotcp_connect(void *ctx, const struct nd_addr *to, struct nd_conn **conn);

/* A caller's handshake at this listener is complete. */
void nd__picotcp_caller(struct nd_picotcp_conn *listener);

/* A listener's part of close(). */
void nd__picotcp_listener_close(struct nd_picotcp_conn *listener);

#endif

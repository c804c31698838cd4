/* SPDX-License-Identifier: BSD-3-Clause */
/* open.h - how connections come to be: by listening and accepting, and by calling. */
#ifndef ND_LWIP_RAW_OPEN_H
#define ND_LWIP_RAW_OPEN_H

#include "conn.h"

/* nd_port's calls. */
int nd__lwip_raw_listen(void *ctx, const struct nd_addr *at, struct nd_conn **listener);
int nd__lwip_raw_accept(struct nd_conn *listener, struct nd_conn **conn);
int nd__lwip_raw_connect(void *ctx, const struct nd_addr *to, struct nd_conn **conn);

/* Close a listener and reset what waits there. */
void nd__lwip_raw_listener_close(struct nd_lwip_raw_conn *listener);

#endif

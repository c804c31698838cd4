/* SPDX-License-Identifier: BSD-3-Clause */
/* lwip_socket.h - lwIP's sockets: the port of ports/bsd, and what lwIP tells beyond POSIX.
 *
 * For an lwIP with a thread of its own (NO_SYS 0). lwipopts.h has LWIP_SOCKET, LWIP_COMPAT_SOCKETS,
 * LWIP_POSIX_SOCKETS_IO_NAMES and LWIP_TCPIP_CORE_LOCKING at 1. One thread uses an instance. */
#ifndef ND_LWIP_SOCKET_H
#define ND_LWIP_SOCKET_H

#include "bsd.h"

#ifdef __cplusplus
extern "C" {
#endif

/* nd_bsd_init() with `unacked`, `abort` and `version` filled in. After tcpip_init() is done. */
int nd_lwip_socket_init(struct nd_bsd *bsd, const struct nd_bsd_cfg *cfg);

/* The port; its context is a struct nd_bsd. */
extern const struct nd_port nd_port_lwip_socket;

#ifdef __cplusplus
}
#endif
#endif

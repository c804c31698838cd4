/* SPDX-License-Identifier: BSD-3-Clause */
/* lwip_socket.c - what lwIP's sockets hide: the control block behind one. */
#include "lwip_socket.h"

#include "lwip/api.h"
#include "lwip/init.h"
#include "lwip/priv/sockets_priv.h"
#include "lwip/tcp.h"
#include "lwip/tcpip.h"

#include "nd/memory.h"
#include "slot.h"

_Static_assert(LWIP_TCPIP_CORE_LOCKING == 1, "control blocks are read under lwIP's lock");

/* The control block of this socket, NULL when lwIP has let go of it. Under the lock. */
static struct tcp_pcb *control_block(int fd) {
    const struct lwip_sock *sock = lwip_socket_dbg_get_socket(fd);
    return sock == NULL || sock->conn == NULL ? NULL : sock->conn->pcb.tcp;
}

/* lwIP counts the FIN in snd_lbb when it has a segment of its own, but not when it rides on data.
 */
static int64_t bytes_on_their_way(const struct tcp_pcb *pcb) {
    if (pcb->unsent == NULL && pcb->unacked == NULL) {
        return 0;
    }
    s32_t bytes = (s32_t)(pcb->snd_lbb - pcb->lastack);
    return bytes > 0 ? bytes : 1;
}

static int64_t unacked(int fd) {
    LOCK_TCPIP_CORE();
    const struct tcp_pcb *pcb = control_block(fd);
    int64_t bytes = pcb == NULL ? (int64_t)ND_NOT_SUPPORTED : bytes_on_their_way(pcb);
    UNLOCK_TCPIP_CORE();
    return bytes;
}

/* SO_LINGER 0 sends RST only while bytes are on their way; without, close() would end in order. */
static void abort_connection(int fd) {
    LOCK_TCPIP_CORE();
    struct tcp_pcb *pcb = control_block(fd);
    if (pcb != NULL && pcb->state != LISTEN) {
        tcp_abort(pcb);
    }
    UNLOCK_TCPIP_CORE();
}

int nd_lwip_socket_init(struct nd_bsd *bsd, const struct nd_bsd_cfg *cfg) {
    struct nd_bsd_cfg full = *cfg;
    full.unacked = unacked;
    full.abort = abort_connection;
    full.version = "lwIP " LWIP_VERSION_STRING;
    return nd_bsd_init(bsd, &full);
}

const struct nd_port nd_port_lwip_socket = ND__BSD_PORT("lwip-socket", nd__bsd_step, 0u);

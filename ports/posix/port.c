/* SPDX-License-Identifier: BSD-3-Clause */
/* port.c - TCP connections and listeners. */
#define _GNU_SOURCE /* accept4 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "nd/memory.h"
#include "slot.h"

static const char *posix_version(void *ctx) {
    return ((const struct nd_posix *)ctx)->version;
}

/* ---- opening ------------------------------------------------------------------------ */

static int posix_listen(void *ctx, const struct nd_addr *at, struct nd_conn **listener) {
    struct nd_posix *posix = ctx;
    struct slot *slot = nd__slot_take(posix, SLOT_LISTENER);
    if (slot == NULL) {
        return ND_E_FULL;
    }
    int result = ND_OK;
    slot->fd = nd__socket_bound(posix, SOCK_STREAM, at, &slot->v6);
    if (slot->fd < 0 || listen(slot->fd, SOMAXCONN) != 0) {
        result = nd__posix_failed(posix, errno);
    } else {
        result = nd__slot_register(slot);
    }
    if (result != ND_OK) {
        nd__slot_close(slot, false);
        return result;
    }
    nd__slot_learn_local(slot);
    if (at->family == 0) { /* the kernel calls it "::", but it serves IPv4 too */
        slot->local.family = 0;
    }
    *listener = nd__slot_conn(slot);
    return ND_OK;
}

/* The SYN is out, or the answer is there already. ND_OK also when the answer is no: status()
 * tells that one. */
static int begin_connect(struct slot *slot, const struct nd_addr *to) {
    struct sockaddr_storage address;
    socklen_t len = nd__address_put(to, slot->v6, &address);
    slot->connecting = true;
    if (connect(slot->fd, (struct sockaddr *)&address, len) == 0) {
        slot->connecting = false;
        slot->writable = true;
    } else if (errno == ECONNREFUSED || errno == ECONNRESET) {
        nd__slot_fail(slot, errno);
    } else if (errno != EINPROGRESS && errno != EINTR) {
        return nd__posix_failed(slot->posix, errno);
    }
    return nd__slot_register(slot);
}

static int posix_connect(void *ctx, const struct nd_addr *to, struct nd_conn **conn) {
    struct nd_posix *posix = ctx;
    if (to->port == 0 || to->family == 0) {
        return nd__posix_failed(posix, EINVAL);
    }
    struct slot *slot = nd__slot_take(posix, SLOT_TCP);
    if (slot == NULL) {
        return ND_E_FULL;
    }
    slot->v6 = to->family == 6;
    slot->fd = nd__socket_open(posix, to->family, SOCK_STREAM);
    int result = slot->fd < 0 ? nd__posix_failed(posix, errno) : begin_connect(slot, to);
    if (result != ND_OK) {
        nd__slot_close(slot, false);
        return result;
    }
    nd__slot_learn_local(slot);
    slot->peer = *to;
    *conn = nd__slot_conn(slot);
    return ND_OK;
}

/* Out of descriptors: a caller left waiting would keep the listener readable for ever. */
static int turn_away(struct slot *listener) {
    struct nd_posix *posix = listener->posix;
    if (posix->reserve_fd >= 0) {
        close(posix->reserve_fd);
    }
    int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) {
        nd__socket_reset(fd);
    }
    posix->reserve_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return fd >= 0 ? ND_E_FULL : ND_AGAIN;
}

static int accept_failed(struct slot *listener, int errnum) {
    listener->cause = errnum;
    switch (errnum) {
    case EAGAIN:
        listener->cause = 0;
        nd__slot_set_waiting(listener, false);
        return ND_AGAIN;
    case EMFILE:
    case ENFILE:
    case ENOBUFS:
    case ENOMEM:
        return turn_away(listener);
    default: /* that one caller is gone; others may wait behind it */
        return ND_AGAIN;
    }
}

static int posix_accept(struct nd_conn *conn, struct nd_conn **accepted) {
    struct slot *listener = nd__slot_of(conn);
    if (!listener->readable) {
        return ND_AGAIN;
    }
    struct sockaddr_storage address;
    socklen_t len = sizeof address;
    int fd = accept4(listener->fd, (struct sockaddr *)&address, &len, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
        return accept_failed(listener, errno);
    }
    struct slot *slot = nd__slot_take(listener->posix, SLOT_TCP);
    if (slot == NULL) {
        nd__socket_reset(fd);
        return ND_E_FULL;
    }
    slot->fd = fd;
    slot->v6 = listener->v6;
    int result = nd__slot_register(slot);
    if (result != ND_OK) {
        listener->cause = listener->posix->error;
        nd__slot_close(slot, true);
        return ND_E_FULL;
    }
    int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    nd__address_get(&address, &slot->peer);
    nd__slot_learn_local(slot);
    slot->readable = true;
    slot->writable = true;
    *accepted = nd__slot_conn(slot);
    return ND_OK;
}

/* ---- moving bytes ------------------------------------------------------------------- */

static int posix_status(struct nd_conn *conn) {
    struct slot *slot = nd__slot_of(conn);
    return slot->connecting ? ND_AGAIN : slot->error;
}

static void cork(struct slot *slot) {
    slot->corked = true;
    if (!slot->listed) {
        slot->listed = true;
        slot->next_corked = slot->posix->corked;
        slot->posix->corked = slot;
    }
}

static int32_t tx_failed(struct slot *slot, int errnum) {
    if (errnum == EAGAIN) {
        slot->writable = false;
        return ND_AGAIN;
    }
    if (errnum == EINTR || errnum == ENOBUFS || errnum == ENOMEM) {
        return ND_AGAIN;
    }
    return nd__slot_fail(slot, errnum);
}

static int32_t posix_tx(struct nd_conn *conn, const void *bytes, uint32_t len, unsigned flags) {
    struct slot *slot = nd__slot_of(conn);
    if (slot->error != ND_OK) {
        return slot->error;
    }
    if (slot->ended) {
        return ND_E_STATE;
    }
    if (!slot->writable) {
        return ND_AGAIN;
    }
    bool more = (flags & ND_TX_MORE) != 0;
    uint32_t asked = len > INT32_MAX ? INT32_MAX : len;
    ssize_t sent = send(slot->fd, bytes, asked, MSG_NOSIGNAL | (more ? MSG_MORE : 0));
    if (sent < 0) {
        return tx_failed(slot, errno);
    }
    if ((size_t)sent < asked) { /* full: the edge comes when there is room again */
        slot->writable = false;
    }
    if (more) {
        cork(slot);
    } else {
        slot->corked = false;
    }
    return (int32_t)sent;
}

/* The buffer is empty and the kernel may have something. */
static int32_t fetch(struct slot *slot) {
    if (!nd__slot_buffer(slot, slot->posix->cfg.rx_bytes)) {
        return nd__slot_fail(slot, ENOMEM);
    }
    ssize_t got = recv(slot->fd, slot->buffer, slot->buffer_bytes, 0);
    if (got > 0) {
        slot->start = 0;
        slot->count = (uint32_t)got;
        if (slot->count < slot->buffer_bytes && !slot->read_on) { /* that was all */
            slot->readable = false;
        }
        return (int32_t)got;
    }
    if (got == 0) {
        slot->eof_told = true;
        return ND_EOF;
    }
    if (errno == EAGAIN) {
        slot->readable = false;
        return ND_AGAIN;
    }
    return errno == EINTR ? ND_AGAIN : nd__slot_fail(slot, errno);
}

static int32_t posix_rx(struct nd_conn *conn, const void **bytes) {
    struct slot *slot = nd__slot_of(conn);
    if (slot->eof_told) {
        return ND_EOF;
    }
    if (slot->error != ND_OK) {
        return slot->error;
    }
    if (slot->count == 0) {
        int32_t got = slot->readable ? fetch(slot) : ND_AGAIN;
        if (got < 0) {
            return got;
        }
    }
    *bytes = slot->buffer + slot->start;
    return (int32_t)slot->count;
}

static bool posix_rx_done(struct nd_conn *conn, uint32_t len) {
    struct slot *slot = nd__slot_of(conn);
    slot->start += len;
    slot->count -= len;
    return slot->count > 0 || slot->readable;
}

/* ---- ending ------------------------------------------------------------------------- */

/* Bytes of the connection that the peer has not acknowledged, a FIN counting as one; negative
 * when the kernel does not know. */
static int64_t unacked(const struct slot *slot) {
    int bytes;
    return ioctl(slot->fd, SIOCOUTQ, &bytes) == 0 ? bytes : ND_NOT_SUPPORTED;
}

static int posix_end(struct nd_conn *conn) {
    struct slot *slot = nd__slot_of(conn);
    if (slot->error != ND_OK) {
        return slot->error;
    }
    slot->ended = true;
    if (slot->connecting) {
        return ND_AGAIN;
    }
    if (!slot->shut) {
        if (shutdown(slot->fd, SHUT_WR) != 0) {
            return nd__slot_fail(slot, errno == ENOTCONN ? ECONNRESET : errno);
        }
        slot->shut = true;
    }
    return unacked(slot) > 0 ? ND_AGAIN : ND_OK;
}

/* The kernel itself resets a closed connection that had unread bytes; what the buffer holds it
 * believes to be read. */
static void posix_close(struct nd_conn *conn) {
    struct slot *slot = nd__slot_of(conn);
    bool quiet = slot->shut && (slot->count == 0 || slot->eof_told);
    nd__slot_close(slot, slot->kind == SLOT_TCP && !quiet);
}

/* ---- asking ------------------------------------------------------------------------- */

static void posix_info(struct nd_conn *conn, struct nd_conn_info *info) {
    struct slot *slot = nd__slot_of(conn);
    *info = (struct nd_conn_info){
        .local = slot->local, .mss_bytes = ND_NOT_SUPPORTED, .unacked_bytes = ND_NOT_SUPPORTED};
    if (slot->kind != SLOT_TCP) {
        return;
    }
    info->peer = slot->peer;
    if (slot->connecting || slot->error != ND_OK) {
        return;
    }
    int mss;
    socklen_t len = sizeof mss;
    if (getsockopt(slot->fd, IPPROTO_TCP, TCP_MAXSEG, &mss, &len) == 0) {
        info->mss_bytes = mss;
    }
    info->unacked_bytes = unacked(slot);
}

static int32_t posix_cause(struct nd_conn *conn) {
    return nd__slot_of(conn)->cause;
}

const struct nd_port nd_port_posix = {
    .abi = ND_PORT_ABI,
    .can = ND_PORT_TCP | ND_PORT_UDP | ND_PORT_IPV6,
    .name = "posix",
    .version = posix_version,
    .step = nd__posix_step,
    .listen = posix_listen,
    .accept = posix_accept,
    .connect = posix_connect,
    .status = posix_status,
    .tx = posix_tx,
    .rx = posix_rx,
    .rx_done = posix_rx_done,
    .end = posix_end,
    .udp_open = nd__posix_udp_open,
    .udp_tx = nd__posix_udp_tx,
    .udp_rx = nd__posix_udp_rx,
    .close = posix_close,
    .info = posix_info,
    .cause = posix_cause,
};

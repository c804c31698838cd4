/* SPDX-License-Identifier: BSD-3-Clause */
/* stream.c - TCP connections and listeners. */
#include "nd/memory.h"
#include "slot.h"

const char *nd__bsd_version(void *ctx) {
    const struct nd_bsd *bsd = ctx;
    return bsd->cfg.version != NULL ? bsd->cfg.version : "unknown";
}

/* ---- opening ------------------------------------------------------------------------ */

int nd__bsd_listen(void *ctx, const struct nd_addr *at, struct nd_conn **listener) {
    struct nd_bsd *bsd = ctx;
    struct nd_bsd_slot *slot = nd__slot_take(bsd, SLOT_LISTENER);
    if (slot == NULL) {
        return ND_E_FULL;
    }
    int result = ND_OK;
    slot->fd = nd__socket_bound(bsd, SOCK_STREAM, at, &slot->v6);
    if (slot->fd < 0 || listen(slot->fd, ND__BACKLOG) != 0) {
        result = nd__bsd_failed(bsd, errno);
    } else {
        result = nd__slot_watch(slot);
    }
    if (result != ND_OK) {
        nd__slot_close(slot, false);
        return result;
    }
    nd__slot_learn_bound(slot, at);
    *listener = nd__slot_conn(slot);
    return ND_OK;
}

/* The SYN is out, or the answer is there already. ND_OK also when the answer is no: status()
 * tells that one. */
static int begin_connect(struct nd_bsd_slot *slot, const struct nd_addr *to) {
    union nd__address address;
    socklen_t len = nd__address_put(to, slot->v6, &address);
    slot->connecting = true;
    if (connect(slot->fd, &address.any, len) == 0) {
        slot->connecting = false;
        slot->writable = true;
    } else if (errno == ECONNREFUSED || errno == ECONNRESET) {
        nd__slot_fail(slot, errno);
    } else if (errno != EINPROGRESS && errno != EINTR) {
        return nd__bsd_failed(slot->bsd, errno);
    }
    return nd__slot_watch(slot);
}

int nd__bsd_connect(void *ctx, const struct nd_addr *to, struct nd_conn **conn) {
    struct nd_bsd *bsd = ctx;
    if (to->port == 0 || to->family == 0) {
        return nd__bsd_failed(bsd, EINVAL);
    }
    struct nd_bsd_slot *slot = nd__slot_take(bsd, SLOT_TCP);
    if (slot == NULL) {
        return ND_E_FULL;
    }
    slot->v6 = to->family == 6;
    slot->fd = nd__socket_open(bsd, to->family, SOCK_STREAM);
    int result = slot->fd < 0 ? nd__bsd_failed(bsd, errno) : begin_connect(slot, to);
    if (result != ND_OK) {
        nd__slot_close(slot, false);
        return result;
    }
    nd__slot_learn_local(slot);
    slot->peer = *to;
    *conn = nd__slot_conn(slot);
    return ND_OK;
}

/* Out of descriptors: a caller left waiting keeps the listener readable. */
static int turn_away(struct nd_bsd_slot *listener) {
    const struct nd__bsd_system *system = listener->bsd->system;
    return system != NULL && system->turn_away(listener) ? ND_E_FULL : ND_AGAIN;
}

static int accept_failed(struct nd_bsd_slot *listener, int errnum) {
    listener->cause = errnum;
    if (nd__bsd_again(errnum)) {
        listener->cause = 0;
        nd__slot_set_waiting(listener, false);
        return ND_AGAIN;
    }
    if (errnum == EMFILE || errnum == ENFILE || errnum == ENOBUFS || errnum == ENOMEM) {
        return turn_away(listener);
    }
    return ND_AGAIN; /* that one caller is gone; others may wait behind it */
}

int nd__bsd_accept(struct nd_conn *conn, struct nd_conn **accepted) {
    struct nd_bsd_slot *listener = nd__slot_of(conn);
    if (!listener->readable) {
        return ND_AGAIN;
    }
    union nd__address address;
    int fd = nd__socket_accept(listener->bsd, listener->fd, &address);
    if (fd < 0) {
        return accept_failed(listener, errno);
    }
    struct nd_bsd_slot *slot = nd__slot_take(listener->bsd, SLOT_TCP);
    if (slot == NULL) {
        nd__socket_reset(listener->bsd, fd);
        return ND_E_FULL;
    }
    slot->fd = fd;
    slot->v6 = listener->v6;
    int result = nd__slot_watch(slot);
    if (result != ND_OK) {
        listener->cause = listener->bsd->error;
        nd__slot_close(slot, true);
        return ND_E_FULL;
    }
    nd__socket_set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    nd__address_get(&address, &slot->peer);
    nd__slot_learn_local(slot);
    slot->readable = true;
    slot->writable = true;
    *accepted = nd__slot_conn(slot);
    return ND_OK;
}

/* ---- moving bytes ------------------------------------------------------------------- */

int nd__bsd_status(struct nd_conn *conn) {
    struct nd_bsd_slot *slot = nd__slot_of(conn);
    if (slot->connecting) {
        return ND_AGAIN;
    }
    if (slot->bsd->system == NULL && slot->error == ND_OK && slot->readable) {
        int errnum = nd__slot_pending_error(slot); /* step() asks no more while there is to read */
        return errnum == 0 ? ND_OK : nd__slot_fail(slot, errnum);
    }
    return slot->error;
}

static void cork(struct nd_bsd_slot *slot) {
    slot->corked = true;
    if (!slot->listed) {
        slot->listed = true;
        slot->next_corked = slot->bsd->corked;
        slot->bsd->corked = slot;
    }
}

static int32_t tx_failed(struct nd_bsd_slot *slot, int errnum) {
    return nd__slot_send_later(slot, errnum) ? ND_AGAIN : nd__slot_fail(slot, errnum);
}

int32_t nd__bsd_tx(struct nd_conn *conn, const void *bytes, uint32_t len, unsigned flags) {
    struct nd_bsd_slot *slot = nd__slot_of(conn);
    if (slot->error != ND_OK) {
        return slot->error;
    }
    if (slot->ended) {
        return ND_E_STATE;
    }
    if (!slot->writable) {
        return ND_AGAIN;
    }
    const struct nd__bsd_system *system = slot->bsd->system;
    bool more = (flags & ND_TX_MORE) != 0 && system != NULL;
    uint32_t asked = len > INT32_MAX ? INT32_MAX : len;
    ssize_t sent = send(slot->fd, bytes, asked, ND__SEND_FLAGS | (more ? system->more_flag : 0));
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

/* The buffer is empty and the system may have something. */
static int32_t fetch(struct nd_bsd_slot *slot) {
    if (!nd__slot_provide(slot)) {
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
    if (nd__bsd_again(errno)) {
        slot->readable = false;
        return ND_AGAIN;
    }
    return errno == EINTR ? ND_AGAIN : nd__slot_fail(slot, errno);
}

int32_t nd__bsd_rx(struct nd_conn *conn, const void **bytes) {
    struct nd_bsd_slot *slot = nd__slot_of(conn);
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

bool nd__bsd_rx_done(struct nd_conn *conn, uint32_t len) {
    struct nd_bsd_slot *slot = nd__slot_of(conn);
    slot->start += len;
    slot->count -= len;
    return slot->count > 0 || slot->readable;
}

/* ---- ending ------------------------------------------------------------------------- */

/* Bytes of the connection that the peer has not acknowledged, a FIN counting as one; negative
 * when the system does not tell. */
static int64_t unacked(const struct nd_bsd_slot *slot) {
    int64_t (*ask)(int) = slot->bsd->cfg.unacked;
    return ask == NULL ? (int64_t)ND_NOT_SUPPORTED : ask(slot->fd);
}

int nd__bsd_end(struct nd_conn *conn) {
    struct nd_bsd_slot *slot = nd__slot_of(conn);
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

/* The system itself resets a closed connection that had unread bytes; what the buffer holds it
 * believes to be read. */
void nd__bsd_close(struct nd_conn *conn) {
    struct nd_bsd_slot *slot = nd__slot_of(conn);
    bool quiet = slot->shut && (slot->count == 0 || slot->eof_told);
    nd__slot_close(slot, slot->kind == SLOT_TCP && !quiet);
}

/* ---- asking ------------------------------------------------------------------------- */

static int32_t mss_bytes(const struct nd_bsd_slot *slot) {
#if defined(TCP_MAXSEG)
    int mss;
    socklen_t len = sizeof mss;
    if (getsockopt(slot->fd, IPPROTO_TCP, TCP_MAXSEG, &mss, &len) == 0) {
        return mss;
    }
#else
    (void)slot;
#endif
    return ND_NOT_SUPPORTED;
}

void nd__bsd_info(struct nd_conn *conn, struct nd_conn_info *info) {
    struct nd_bsd_slot *slot = nd__slot_of(conn);
    *info = (struct nd_conn_info){
        .local = slot->local, .mss_bytes = ND_NOT_SUPPORTED, .unacked_bytes = ND_NOT_SUPPORTED};
    if (slot->kind != SLOT_TCP) {
        return;
    }
    info->peer = slot->peer;
    if (slot->connecting || slot->error != ND_OK) {
        return;
    }
    info->mss_bytes = mss_bytes(slot);
    info->unacked_bytes = unacked(slot);
}

int32_t nd__bsd_cause(struct nd_conn *conn) {
    return nd__slot_of(conn)->cause;
}

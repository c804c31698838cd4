/* SPDX-License-Identifier: BSD-3-Clause */
/* datagram.c - UDP sockets. */
#include <errno.h>
#include <unistd.h>

#include "slot.h"

int nd__posix_udp_open(void *ctx, const struct nd_addr *at, struct nd_conn **socket) {
    struct nd_posix *posix = ctx;
    struct slot *slot = nd__slot_take(posix, SLOT_UDP);
    if (slot == NULL) {
        return ND_E_FULL;
    }
    slot->fd = nd__socket_bound(posix, SOCK_DGRAM, at, &slot->v6);
    if (slot->fd < 0) {
        int result = nd__posix_failed(posix, errno);
        nd__slot_close(slot, false);
        return result;
    }
    int result = nd__slot_register(slot);
    if (result != ND_OK) {
        nd__slot_close(slot, false);
        return result;
    }
    nd__slot_learn_local(slot);
    if (at->family == 0) { /* the kernel calls it "::", but it serves IPv4 too */
        slot->local.family = 0;
    }
    nd__slot_set_waiting(slot, true);
    slot->writable = true;
    *socket = nd__slot_conn(slot);
    return ND_OK;
}

static int32_t tx_failed(struct slot *slot, int errnum) {
    if (errnum == EAGAIN) {
        slot->writable = false;
        return ND_AGAIN;
    }
    if (errnum == EINTR || errnum == ENOBUFS || errnum == ENOMEM) {
        return ND_AGAIN;
    }
    slot->cause = errnum;
    return nd__posix_result(errnum);
}

int32_t nd__posix_udp_tx(struct nd_conn *socket, const struct nd_addr *to, const void *bytes,
                         uint32_t len, unsigned flags) {
    (void)flags;
    struct slot *slot = nd__slot_of(socket);
    if (!slot->writable) {
        return ND_AGAIN;
    }
    struct sockaddr_storage address;
    socklen_t address_len = nd__address_put(to, slot->v6, &address);
    if (len == 0 || to->family == 0 || address_len == 0) {
        slot->cause = EINVAL;
        return ND_E_ARG;
    }
    ssize_t sent =
        sendto(slot->fd, bytes, len, MSG_NOSIGNAL, (struct sockaddr *)&address, address_len);
    return sent < 0 ? tx_failed(slot, errno) : (int32_t)sent;
}

/* Receive one that is not empty into the buffer: true when there is one. */
static bool fetch(struct slot *slot) {
    struct sockaddr_storage address;
    ssize_t got;
    do {
        socklen_t len = sizeof address;
        got = recvfrom(slot->fd, slot->buffer, slot->buffer_bytes, 0, (struct sockaddr *)&address,
                       &len);
    } while (got == 0 || (got < 0 && errno == EINTR));
    if (got < 0) {
        if (errno == EAGAIN) {
            nd__slot_set_waiting(slot, false);
        } else {
            slot->cause = errno;
        }
        return false;
    }
    nd__address_get(&address, &slot->peer);
    slot->start = 0;
    slot->count = (uint32_t)got;
    return true;
}

int32_t nd__posix_udp_rx(struct nd_conn *socket, struct nd_addr *from, const void **bytes) {
    struct slot *slot = nd__slot_of(socket);
    if (slot->count == 0) {
        if (!slot->readable) {
            return ND_AGAIN;
        }
        if (!nd__slot_buffer(slot, ND__DATAGRAM_BYTES)) {
            slot->cause = ENOMEM;
            return ND_E_MEMORY;
        }
        if (!fetch(slot)) {
            return ND_AGAIN;
        }
    }
    *from = slot->peer;
    *bytes = slot->buffer;
    return (int32_t)slot->count;
}

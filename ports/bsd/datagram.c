/* SPDX-License-Identifier: BSD-3-Clause */
/* datagram.c - UDP sockets. */
#include "slot.h"

int nd__bsd_udp_open(void *ctx, const struct nd_addr *at, struct nd_conn **socket) {
    struct nd_bsd *bsd = ctx;
    struct nd_bsd_slot *slot = nd__slot_take(bsd, SLOT_UDP);
    if (slot == NULL) {
        return ND_E_FULL;
    }
    slot->fd = nd__socket_bound(bsd, SOCK_DGRAM, at, &slot->v6);
    if (slot->fd < 0) {
        int result = nd__bsd_failed(bsd, errno);
        nd__slot_close(slot, false);
        return result;
    }
    int result = nd__slot_watch(slot);
    if (result != ND_OK) {
        nd__slot_close(slot, false);
        return result;
    }
    nd__slot_learn_bound(slot, at);
    nd__slot_set_waiting(slot, true);
    slot->writable = true;
    *socket = nd__slot_conn(slot);
    return ND_OK;
}

static int32_t tx_failed(struct nd_bsd_slot *slot, int errnum) {
    if (nd__slot_send_later(slot, errnum)) {
        return ND_AGAIN;
    }
    slot->cause = errnum;
    return nd__bsd_result(errnum);
}

int32_t nd__bsd_udp_tx(struct nd_conn *socket, const struct nd_addr *to, const void *bytes,
                       uint32_t len, unsigned flags) {
    (void)flags;
    struct nd_bsd_slot *slot = nd__slot_of(socket);
    if (!slot->writable) {
        return ND_AGAIN;
    }
    union nd__address address;
    socklen_t address_len = nd__address_put(to, slot->v6, &address);
    if (len == 0 || to->family == 0 || address_len == 0) {
        slot->cause = EINVAL;
        return ND_E_ARG;
    }
    ssize_t sent = sendto(slot->fd, bytes, len, ND__SEND_FLAGS, &address.any, address_len);
    return sent < 0 ? tx_failed(slot, errno) : (int32_t)sent;
}

/* Receive one that is neither empty nor perhaps cut into the buffer: true when there is one. */
static bool fetch(struct nd_bsd_slot *slot) {
    union nd__address address;
    ssize_t got;
    do {
        socklen_t len = sizeof address;
        got = recvfrom(slot->fd, slot->buffer, slot->buffer_bytes, 0, &address.any, &len);
    } while (got == 0 || got == (ssize_t)slot->buffer_bytes || (got < 0 && errno == EINTR));
    if (got < 0) {
        if (nd__bsd_again(errno)) {
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

int32_t nd__bsd_udp_rx(struct nd_conn *socket, struct nd_addr *from, const void **bytes) {
    struct nd_bsd_slot *slot = nd__slot_of(socket);
    if (slot->count == 0) {
        if (!slot->readable) {
            return ND_AGAIN;
        }
        if (!nd__slot_provide(slot)) {
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

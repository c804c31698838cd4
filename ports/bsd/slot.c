/* SPDX-License-Identifier: BSD-3-Clause */
/* slot.c - the pool, and what all kinds of slots do alike. */
#include <string.h>

#include "slot.h"

struct nd_bsd_slot *nd__slot_take(struct nd_bsd *bsd, enum slot_kind kind) {
    for (uint32_t i = 0; i < bsd->cfg.slot_count; i++) {
        struct nd_bsd_slot *slot = &bsd->cfg.slots[i];
        if (slot->kind == SLOT_FREE) {
            *slot = (struct nd_bsd_slot){.bsd = bsd,
                                         .buffer = slot->buffer,
                                         .buffer_bytes = slot->buffer_bytes,
                                         .fd = -1,
                                         .kind = (uint8_t)kind};
            return slot;
        }
    }
    return NULL;
}

int nd__slot_watch(struct nd_bsd_slot *slot) {
    const struct nd__bsd_system *system = slot->bsd->system;
    return system == NULL ? ND_OK : system->watch(slot);
}

bool nd__slot_provide(struct nd_bsd_slot *slot) {
    const struct nd__bsd_system *system = slot->bsd->system;
    return system == NULL || system->provide(slot);
}

void nd__slot_set_waiting(struct nd_bsd_slot *slot, bool waiting) {
    uint32_t *count =
        slot->kind == SLOT_UDP ? &slot->bsd->datagram_waiting : &slot->bsd->accept_waiting;
    if (slot->readable != waiting) {
        slot->readable = waiting;
        *count += waiting ? 1u : UINT32_MAX;
    }
}

/* lwIP says of a connection that it was reset or aborted also when it never stood. Other systems
 * say it only of one that did, if shortly. */
static int result_of(const struct nd_bsd_slot *slot, int errnum) {
#if defined(ND_BSD_LWIP)
    if (slot->connecting && errnum == ECONNRESET) {
        return ND_E_REFUSED;
    }
    if (slot->connecting && errnum == ECONNABORTED) {
        return ND_E_TIMEOUT;
    }
#else
    (void)slot;
#endif
    return nd__bsd_result(errnum);
}

int nd__slot_fail(struct nd_bsd_slot *slot, int errnum) {
    if (slot->error == ND_OK) {
        slot->error = result_of(slot, errnum);
        slot->cause = errnum;
        slot->connecting = false;
    }
    return slot->error;
}

bool nd__slot_send_later(struct nd_bsd_slot *slot, int errnum) {
    if (nd__bsd_again(errnum)) {
        slot->writable = false;
        return true;
    }
    return errnum == EINTR || errnum == ENOBUFS || errnum == ENOMEM;
}

int nd__slot_pending_error(const struct nd_bsd_slot *slot) {
    int errnum = 0;
    socklen_t len = sizeof errnum;
    return getsockopt(slot->fd, SOL_SOCKET, SO_ERROR, &errnum, &len) == 0 ? errnum : errno;
}

static void unlist(struct nd_bsd_slot *slot) {
    struct nd_bsd_slot **link = &slot->bsd->corked;
    while (*link != slot) {
        link = &(*link)->next_corked;
    }
    *link = slot->next_corked;
}

void nd__slot_close(struct nd_bsd_slot *slot, bool abort) {
    if (slot->listed) {
        unlist(slot);
    }
    if (slot->kind == SLOT_LISTENER || slot->kind == SLOT_UDP) {
        nd__slot_set_waiting(slot, false);
    }
    if (abort) {
        nd__socket_reset(slot->bsd, slot->fd);
    } else if (slot->fd >= 0) {
        close(slot->fd);
    }
    slot->fd = -1;
    slot->kind = SLOT_FREE;
}

void nd__bsd_close_all(struct nd_bsd *bsd) {
    for (uint32_t i = 0; i < bsd->cfg.slot_count; i++) {
        struct nd_bsd_slot *slot = &bsd->cfg.slots[i];
        if (slot->kind != SLOT_FREE) {
            nd__slot_close(slot, slot->kind == SLOT_TCP);
        }
    }
}

void nd__slot_learn_local(struct nd_bsd_slot *slot) {
    union nd__address address;
    socklen_t len = sizeof address;
    if (getsockname(slot->fd, &address.any, &len) == 0) {
        nd__address_get(&address, &slot->local);
    }
}

void nd__slot_learn_bound(struct nd_bsd_slot *slot, const struct nd_addr *asked) {
    nd__slot_learn_local(slot);
    if (asked->family == 0) { /* the system calls it "::", but it serves IPv4 too */
        slot->local.family = 0;
    }
}

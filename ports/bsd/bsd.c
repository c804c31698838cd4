/* SPDX-License-Identifier: BSD-3-Clause */
/* bsd.c - an instance: its making and end, its step, its sleep. */
#include <string.h>

#include "slot.h"

/* What is asked of the system about one socket, and answered. */
#define WANT_READ  1u
#define WANT_WRITE 2u
#define TOLD_ERROR 4u

int nd_bsd_init(struct nd_bsd *bsd, const struct nd_bsd_cfg *cfg) {
    if (cfg->slots == NULL || cfg->buffers == NULL || cfg->rx_bytes == 0 || cfg->slot_count == 0 ||
        cfg->slot_count > ND_CFG_BSD_SLOTS) {
        return ND_E_ARG;
    }
    *bsd = (struct nd_bsd){.cfg = *cfg};
    memset(cfg->slots, 0, cfg->slot_count * sizeof cfg->slots[0]);
    for (uint32_t i = 0; i < cfg->slot_count; i++) {
        cfg->slots[i].buffer = cfg->buffers + (size_t)i * cfg->rx_bytes;
        cfg->slots[i].buffer_bytes = cfg->rx_bytes;
    }
    return ND_OK;
}

void nd_bsd_finish(struct nd_bsd *bsd) {
    nd__bsd_close_all(bsd);
}

int nd_bsd_errno(const struct nd_bsd *bsd) {
    return bsd->error;
}

/* ---- what the system is asked, and what it says ------------------------------------- */

/* What would be news of this slot. What is known already is not asked for again, so that it wakes
 * nobody; it is forgotten when a call finds nothing there. */
static unsigned wants(const struct nd_bsd_slot *slot) {
    unsigned what = 0;
    if (slot->kind == SLOT_FREE || slot->error != ND_OK) {
        return 0;
    }
    if (!slot->readable && !slot->eof_told && !slot->connecting) {
        what |= WANT_READ;
    }
    if (slot->kind != SLOT_LISTENER && !slot->writable && !slot->shut) {
        what |= WANT_WRITE;
    }
    return what;
}

static void note_stream(struct nd_bsd_slot *slot, unsigned told) {
    if ((told & TOLD_ERROR) != 0) {
        int errnum = nd__slot_pending_error(slot);
        if (errnum != 0) {
            nd__slot_fail(slot, errnum);
            return;
        }
    }
    if ((told & WANT_WRITE) != 0) {
        slot->connecting = false;
        slot->writable = true;
    }
    if ((told & WANT_READ) != 0) {
        slot->readable = true;
    }
}

static void note(struct nd_bsd_slot *slot, unsigned told) {
    if (slot->kind == SLOT_TCP) {
        note_stream(slot, told);
        return;
    }
    if ((told & TOLD_ERROR) != 0) {
        slot->cause = nd__slot_pending_error(slot);
    }
    if ((told & WANT_READ) != 0) {
        nd__slot_set_waiting(slot, true);
    }
    slot->writable = slot->writable || (told & WANT_WRITE) != 0;
}

#if defined(ND_BSD_SELECT)
struct asked {
    fd_set read;
    fd_set write;
    int most; /* the highest descriptor in them; -1 = none */
};

static void ask_for(struct asked *asked, const struct nd_bsd_slot *slot) {
    unsigned what = wants(slot);
    if ((what & WANT_READ) != 0) {
        FD_SET(slot->fd, &asked->read);
    }
    if ((what & WANT_WRITE) != 0) {
        FD_SET(slot->fd, &asked->write);
    }
    if (what != 0 && slot->fd > asked->most) {
        asked->most = slot->fd;
    }
}

/* select() tells no errors: whoever becomes readable or writable is asked for one. */
static unsigned told_of(const struct asked *asked, const struct nd_bsd_slot *slot) {
    unsigned told = 0;
    if (slot->kind == SLOT_FREE) {
        return 0;
    }
    if (FD_ISSET(slot->fd, &asked->read)) {
        told |= WANT_READ | TOLD_ERROR;
    }
    if (FD_ISSET(slot->fd, &asked->write)) {
        told |= WANT_WRITE | TOLD_ERROR;
    }
    return told;
}

/* Ask the system and wait so long at most [ms]; the number of sockets with news. */
static int ask(struct nd_bsd *bsd, uint32_t timeout_ms) {
    struct asked asked;
    struct timeval limit;
    FD_ZERO(&asked.read);
    FD_ZERO(&asked.write);
    asked.most = -1;
    for (uint32_t i = 0; i < bsd->cfg.slot_count; i++) {
        ask_for(&asked, &bsd->cfg.slots[i]);
    }
    if (asked.most < 0 && timeout_ms == 0) {
        return 0;
    }
    limit.tv_sec = (long)(timeout_ms / 1000u);
    limit.tv_usec = (long)(timeout_ms % 1000u) * 1000;
    int count = select(asked.most + 1, &asked.read, &asked.write, NULL, &limit);
    for (uint32_t i = 0; count > 0 && i < bsd->cfg.slot_count; i++) {
        struct nd_bsd_slot *slot = &bsd->cfg.slots[i];
        note(slot, told_of(&asked, slot));
    }
    return count;
}
#else
/* What is asked of poll() about this slot; the descriptor is negative for nothing. */
static struct pollfd question(const struct nd_bsd_slot *slot) {
    unsigned what = wants(slot);
    struct pollfd asked = {.fd = what == 0 ? -1 : slot->fd};
    asked.events =
        (short)(((what & WANT_READ) != 0 ? POLLIN : 0) | ((what & WANT_WRITE) != 0 ? POLLOUT : 0));
    return asked;
}

static unsigned told_of(const struct pollfd *asked) {
    unsigned told = 0;
    int events = asked->fd < 0 ? 0 : asked->revents;
    if ((events & (POLLIN | POLLHUP)) != 0) {
        told |= WANT_READ;
    }
    if ((events & (POLLOUT | POLLHUP)) != 0) {
        told |= WANT_WRITE;
    }
    return (events & (POLLERR | POLLHUP | POLLNVAL)) != 0 ? told | TOLD_ERROR : told;
}

/* Ask the system and wait so long at most [ms]; the number of sockets with news. */
static int ask(struct nd_bsd *bsd, uint32_t timeout_ms) {
    struct pollfd asked[ND_CFG_BSD_SLOTS];
    bool any = timeout_ms > 0;
    for (uint32_t i = 0; i < bsd->cfg.slot_count; i++) {
        asked[i] = question(&bsd->cfg.slots[i]);
        any = any || asked[i].fd >= 0;
    }
    if (!any) {
        return 0;
    }
    int limit_ms = timeout_ms > INT32_MAX ? INT32_MAX : (int)timeout_ms;
    int count = poll(asked, bsd->cfg.slot_count, limit_ms);
    for (uint32_t i = 0; count > 0 && i < bsd->cfg.slot_count; i++) {
        note(&bsd->cfg.slots[i], told_of(&asked[i]));
    }
    return count;
}
#endif

/* ---- step and sleep ----------------------------------------------------------------- */

unsigned nd__bsd_waiting(const struct nd_bsd *bsd) {
    unsigned step = bsd->accept_waiting > 0 ? ND_STEP_ACCEPT : 0u;
    return bsd->datagram_waiting > 0 ? step | ND_STEP_DATAGRAM : step;
}

unsigned nd__bsd_step(void *ctx) {
    struct nd_bsd *bsd = ctx;
    (void)ask(bsd, 0);
    return nd__bsd_waiting(bsd);
}

int nd_bsd_wait(struct nd_bsd *bsd, uint32_t timeout_ms) {
    return ask(bsd, timeout_ms) == 0 ? ND_AGAIN : ND_OK;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* context.c - an instance: its making and end, its step, its sleep. */
#define _GNU_SOURCE /* ppoll */
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/utsname.h>

#include "instance.h"

#define DEFAULT_SLOTS    64u
#define DEFAULT_RX_BYTES (128u * 1024u)
#define NS_PER_S         1000000000u

/* Events fetched in one step. */
#define BATCH 64

/* ---- life --------------------------------------------------------------------------- */

static void name_version(struct nd_posix *posix) {
    struct utsname name;
    if (uname(&name) != 0) {
        snprintf(posix->version, sizeof posix->version, "unknown");
        return;
    }
    snprintf(posix->version, sizeof posix->version, "%.40s %.80s", name.sysname, name.release);
}

static bool open_descriptors(struct nd_posix *posix) {
    posix->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    posix->reserve_fd = nd__posix_open_reserve();
    return posix->epoll_fd >= 0 && posix->reserve_fd >= 0;
}

static void configure(struct nd_posix *posix, const struct nd_posix_cfg *cfg) {
    posix->bsd.system = &nd__posix_linux;
    posix->bsd.cfg = (struct nd_bsd_cfg){
        .slot_count = cfg->slot_count == 0 ? DEFAULT_SLOTS : cfg->slot_count,
        .rx_bytes = cfg->rx_bytes == 0 ? DEFAULT_RX_BYTES : cfg->rx_bytes,
        .send_bytes = cfg->send_bytes,
        .receive_bytes = cfg->receive_bytes,
        .datagram_receive_bytes = cfg->datagram_receive_bytes,
        .unacked = nd__posix_unacked,
        .version = posix->version,
    };
    posix->bsd.cfg.slots = calloc(posix->bsd.cfg.slot_count, sizeof(struct nd_bsd_slot));
}

struct nd_posix *nd_posix_create(const struct nd_posix_cfg *cfg) {
    static const struct nd_posix_cfg usual = {.slot_count = 0};
    struct nd_posix *posix = calloc(1, sizeof *posix);
    if (posix == NULL) {
        return NULL;
    }
    posix->epoll_fd = -1;
    posix->reserve_fd = -1;
    configure(posix, cfg == NULL ? &usual : cfg);
    if (posix->bsd.cfg.slots == NULL || !open_descriptors(posix)) {
        int errnum = errno;
        nd_posix_destroy(posix);
        errno = errnum;
        return NULL;
    }
    name_version(posix);
    nd__posix_start_clock(posix);
    return posix;
}

void nd_posix_destroy(struct nd_posix *posix) {
    if (posix == NULL) {
        return;
    }
    struct nd_bsd_slot *slots = posix->bsd.cfg.slots;
    if (slots != NULL) {
        nd__bsd_close_all(&posix->bsd);
    }
    for (uint32_t i = 0; slots != NULL && i < posix->bsd.cfg.slot_count; i++) {
        free(slots[i].buffer);
    }
    if (posix->epoll_fd >= 0) {
        close(posix->epoll_fd);
    }
    if (posix->reserve_fd >= 0) {
        close(posix->reserve_fd);
    }
    free(slots);
    free(posix);
}

/* ---- step --------------------------------------------------------------------------- */

/* Setting TCP_NODELAY again pushes what MSG_MORE held back. */
static void push_corked(struct nd_bsd *bsd) {
    while (bsd->corked != NULL) {
        struct nd_bsd_slot *slot = bsd->corked;
        bsd->corked = slot->next_corked;
        slot->listed = false;
        if (slot->corked && slot->error == ND_OK) {
            nd__socket_set(slot->fd, IPPROTO_TCP, TCP_NODELAY, 1);
        }
        slot->corked = false;
    }
}

static void note_stream(struct nd_bsd_slot *slot, uint32_t events) {
    if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
        int errnum = nd__slot_pending_error(slot);
        if (errnum != 0) {
            nd__slot_fail(slot, errnum);
            return;
        }
    }
    if ((events & EPOLLOUT) != 0) {
        slot->connecting = false;
        slot->writable = true;
    }
    if ((events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP)) != 0) {
        slot->readable = true;
    }
    if ((events & (EPOLLRDHUP | EPOLLPRI)) != 0) {
        slot->read_on = true;
    }
}

static void note_datagram(struct nd_bsd_slot *slot, uint32_t events) {
    if ((events & EPOLLERR) != 0) {
        slot->cause = nd__slot_pending_error(slot);
    }
    if ((events & EPOLLIN) != 0) {
        nd__slot_set_waiting(slot, true);
    }
    slot->writable = slot->writable || (events & EPOLLOUT) != 0;
}

static void note(struct nd_bsd_slot *slot, uint32_t events) {
    switch (slot->kind) {
    case SLOT_LISTENER:
        nd__slot_set_waiting(slot, true);
        break;
    case SLOT_TCP:
        note_stream(slot, events);
        break;
    default:
        note_datagram(slot, events);
        break;
    }
}

static unsigned step_all(void *ctx) {
    struct nd_posix *posix = ctx;
    struct epoll_event events[BATCH];
    unsigned step = 0;
    push_corked(&posix->bsd);
    int count = epoll_wait(posix->epoll_fd, events, BATCH, 0);
    if (count == BATCH) {
        step = ND_STEP_AGAIN;
    }
    for (int i = 0; i < count; i++) {
        struct nd_bsd_slot *slot = events[i].data.ptr;
        if (slot != NULL) { /* NULL: a watched descriptor, the owner's affair */
            note(slot, events[i].events);
        }
    }
    return step | nd__bsd_waiting(&posix->bsd);
}

/* ---- sleep -------------------------------------------------------------------------- */

int nd_posix_wait(struct nd_posix *posix, uint64_t timeout_ns) {
    struct pollfd ready = {.fd = posix->epoll_fd, .events = POLLIN};
    struct timespec limit = {.tv_sec = (time_t)(timeout_ns / NS_PER_S),
                             .tv_nsec = (long)(timeout_ns % NS_PER_S)};
    push_corked(&posix->bsd);
    int count = ppoll(&ready, 1, timeout_ns == UINT64_MAX ? NULL : &limit, NULL);
    nd__posix_count_idle(posix, nd_posix_now_ns(), true);
    return count == 0 ? ND_AGAIN : ND_OK;
}

int nd_posix_watch(struct nd_posix *posix, int fd) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    if (epoll_ctl(posix->epoll_fd, EPOLL_CTL_ADD, fd, &event) == 0) {
        return ND_OK;
    }
    switch (errno) {
    case EPERM:
        return ND_E_UNSUPPORTED;
    case EEXIST:
        return ND_E_STATE;
    case EBADF:
        return ND_E_ARG;
    default:
        return ND_E_MEMORY;
    }
}

void nd_posix_unwatch(struct nd_posix *posix, int fd) {
    epoll_ctl(posix->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
}

int nd_posix_errno(const struct nd_posix *posix) {
    return nd_bsd_errno(&posix->bsd);
}

const struct nd_port nd_port_posix = ND__BSD_PORT("posix", step_all, 0u);

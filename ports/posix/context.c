/* SPDX-License-Identifier: BSD-3-Clause */
/* context.c - an instance: its making and end, its step, its sleep. */
#define _GNU_SOURCE /* ppoll */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "slot.h"

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
    posix->reserve_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
    return posix->epoll_fd >= 0 && posix->reserve_fd >= 0;
}

struct nd_posix *nd_posix_create(const struct nd_posix_cfg *cfg) {
    struct nd_posix *posix = calloc(1, sizeof *posix);
    if (posix == NULL) {
        return NULL;
    }
    posix->epoll_fd = -1;
    posix->reserve_fd = -1;
    if (cfg != NULL) {
        posix->cfg = *cfg;
    }
    if (posix->cfg.slot_count == 0) {
        posix->cfg.slot_count = DEFAULT_SLOTS;
    }
    if (posix->cfg.rx_bytes == 0) {
        posix->cfg.rx_bytes = DEFAULT_RX_BYTES;
    }
    posix->slots = calloc(posix->cfg.slot_count, sizeof *posix->slots);
    if (posix->slots == NULL || !open_descriptors(posix)) {
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
    for (uint32_t i = 0; posix->slots != NULL && i < posix->cfg.slot_count; i++) {
        struct slot *slot = &posix->slots[i];
        if (slot->kind != SLOT_FREE) {
            nd__slot_close(slot, slot->kind == SLOT_TCP);
        }
        free(slot->buffer);
    }
    if (posix->epoll_fd >= 0) {
        close(posix->epoll_fd);
    }
    if (posix->reserve_fd >= 0) {
        close(posix->reserve_fd);
    }
    free(posix->slots);
    free(posix);
}

/* ---- step --------------------------------------------------------------------------- */

/* Setting TCP_NODELAY again pushes what MSG_MORE held back. */
static void push_corked(struct nd_posix *posix) {
    while (posix->corked != NULL) {
        struct slot *slot = posix->corked;
        posix->corked = slot->next_corked;
        slot->listed = false;
        if (slot->corked && slot->error == ND_OK) {
            int on = 1;
            setsockopt(slot->fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        }
        slot->corked = false;
    }
}

/* The error that the kernel keeps for this socket, taken away; 0 = none. */
static int pending_error(const struct slot *slot) {
    int errnum = 0;
    socklen_t len = sizeof errnum;
    return getsockopt(slot->fd, SOL_SOCKET, SO_ERROR, &errnum, &len) == 0 ? errnum : errno;
}

static void note_stream(struct slot *slot, uint32_t events) {
    if ((events & (EPOLLERR | EPOLLHUP)) != 0) {
        int errnum = pending_error(slot);
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

static void note_datagram(struct slot *slot, uint32_t events) {
    if ((events & EPOLLERR) != 0) {
        slot->cause = pending_error(slot);
    }
    if ((events & EPOLLIN) != 0) {
        nd__slot_set_waiting(slot, true);
    }
    slot->writable = slot->writable || (events & EPOLLOUT) != 0;
}

static void note(struct slot *slot, uint32_t events) {
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

unsigned nd__posix_step(void *ctx) {
    struct nd_posix *posix = ctx;
    struct epoll_event events[BATCH];
    unsigned step = 0;
    push_corked(posix);
    int count = epoll_wait(posix->epoll_fd, events, BATCH, 0);
    if (count == BATCH) {
        step = ND_STEP_AGAIN;
    }
    for (int i = 0; i < count; i++) {
        struct slot *slot = events[i].data.ptr;
        if (slot != NULL) { /* NULL: a watched descriptor, the owner's affair */
            note(slot, events[i].events);
        }
    }
    step |= posix->accept_waiting > 0 ? ND_STEP_ACCEPT : 0;
    return posix->datagram_waiting > 0 ? step | ND_STEP_DATAGRAM : step;
}

/* ---- sleep -------------------------------------------------------------------------- */

int nd_posix_wait(struct nd_posix *posix, uint64_t timeout_ns) {
    struct pollfd ready = {.fd = posix->epoll_fd, .events = POLLIN};
    struct timespec limit = {.tv_sec = (time_t)(timeout_ns / NS_PER_S),
                             .tv_nsec = (long)(timeout_ns % NS_PER_S)};
    push_corked(posix);
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
    return posix->error;
}

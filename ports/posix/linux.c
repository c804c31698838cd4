/* SPDX-License-Identifier: BSD-3-Clause */
/* linux.c - what Linux does otherwise: edges told by epoll, flags with the calls, buffers on
 * demand. */
#define _GNU_SOURCE /* accept4 */
#include <linux/sockios.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>

#include "instance.h"
#include "nd/memory.h"

/* Room for a datagram of any size [byte]. */
#define DATAGRAM_BYTES 65536u

static int open_socket(int domain, int type) {
    return socket(domain, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
}

static int take_caller(int fd, struct sockaddr *from, socklen_t *len) {
    return accept4(fd, from, len, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

static int watch(struct nd_bsd_slot *slot) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = slot};
    if (slot->kind != SLOT_LISTENER) {
        event.events |= EPOLLOUT | EPOLLRDHUP | EPOLLPRI;
    }
    if (epoll_ctl(nd__posix_of(slot)->epoll_fd, EPOLL_CTL_ADD, slot->fd, &event) != 0) {
        return nd__bsd_failed(slot->bsd, errno);
    }
    return ND_OK;
}

static bool provide(struct nd_bsd_slot *slot) {
    uint32_t bytes = slot->kind == SLOT_UDP ? DATAGRAM_BYTES : slot->bsd->cfg.rx_bytes;
    if (slot->buffer_bytes < bytes) {
        free(slot->buffer);
        slot->buffer = malloc(bytes);
        slot->buffer_bytes = slot->buffer == NULL ? 0 : bytes;
    }
    return slot->buffer != NULL;
}

int nd__posix_open_reserve(void) {
    return open("/dev/null", O_RDONLY | O_CLOEXEC);
}

static bool turn_away(struct nd_bsd_slot *listener) {
    struct nd_posix *posix = nd__posix_of(listener);
    if (posix->reserve_fd >= 0) {
        close(posix->reserve_fd);
    }
    int fd = accept4(listener->fd, NULL, NULL, SOCK_CLOEXEC);
    if (fd >= 0) {
        nd__socket_reset(listener->bsd, fd);
    }
    posix->reserve_fd = nd__posix_open_reserve();
    return fd >= 0;
}

int64_t nd__posix_unacked(int fd) {
    int bytes;
    return ioctl(fd, SIOCOUTQ, &bytes) == 0 ? bytes : ND_NOT_SUPPORTED;
}

const struct nd__bsd_system nd__posix_linux = {
    .open_socket = open_socket,
    .take_caller = take_caller,
    .watch = watch,
    .provide = provide,
    .turn_away = turn_away,
    .more_flag = MSG_MORE,
};

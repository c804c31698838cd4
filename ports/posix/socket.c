/* SPDX-License-Identifier: BSD-3-Clause */
/* socket.c - sockets as every kind of slot wants them. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "slot.h"

static void set_option(int fd, int level, int name, int value) {
    setsockopt(fd, level, name, &value, sizeof value);
}

/* An int of the kernel's from bytes of a configuration. */
static int as_int(uint32_t value) {
    return value > INT32_MAX ? INT32_MAX : (int)value;
}

int nd__socket_open(const struct nd_posix *posix, int family, int type) {
    int domain = family == 6 ? AF_INET6 : AF_INET;
    uint32_t receive_bytes = type == SOCK_DGRAM && posix->cfg.datagram_receive_bytes != 0
                                 ? posix->cfg.datagram_receive_bytes
                                 : posix->cfg.receive_bytes;
    int fd = socket(domain, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
        return -1;
    }
    if (posix->cfg.send_bytes != 0) {
        set_option(fd, SOL_SOCKET, SO_SNDBUF, as_int(posix->cfg.send_bytes));
    }
    if (receive_bytes != 0) {
        set_option(fd, SOL_SOCKET, SO_RCVBUF, as_int(receive_bytes));
    }
    if (family == 6) {
        set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    }
    if (type == SOCK_STREAM) {
        set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    }
    return fd;
}

static int open_bound(const struct nd_posix *posix, int family, int type,
                      const struct nd_addr *at) {
    int fd = nd__socket_open(posix, family, type);
    if (fd < 0) {
        return -1;
    }
    if (type == SOCK_STREAM) { /* old connections in TIME-WAIT are no obstacle */
        set_option(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    }
    struct sockaddr_storage address;
    socklen_t len = nd__address_put(at, family == 6, &address);
    if (bind(fd, (struct sockaddr *)&address, len) != 0) {
        int errnum = errno;
        close(fd);
        errno = errnum;
        return -1;
    }
    return fd;
}

int nd__socket_bound(const struct nd_posix *posix, int type, const struct nd_addr *at, bool *v6) {
    *v6 = at->family != 4;
    int fd = open_bound(posix, *v6 ? 6 : 4, type, at);
    bool no_v6 = errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL;
    if (fd < 0 && at->family == 0 && no_v6) { /* any address of a machine without IPv6 */
        *v6 = false;
        fd = open_bound(posix, 4, type, at);
    }
    return fd;
}

void nd__socket_reset(int fd) {
    struct linger linger = {.l_onoff = 1, .l_linger = 0};
    setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    close(fd);
}

struct slot *nd__slot_take(struct nd_posix *posix, enum slot_kind kind) {
    for (uint32_t i = 0; i < posix->cfg.slot_count; i++) {
        struct slot *slot = &posix->slots[i];
        if (slot->kind == SLOT_FREE) {
            *slot = (struct slot){.posix = posix,
                                  .buffer = slot->buffer,
                                  .buffer_bytes = slot->buffer_bytes,
                                  .fd = -1,
                                  .kind = (uint8_t)kind};
            return slot;
        }
    }
    return NULL;
}

int nd__slot_register(struct slot *slot) {
    struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.ptr = slot};
    if (slot->kind != SLOT_LISTENER) {
        event.events |= EPOLLOUT | EPOLLRDHUP | EPOLLPRI;
    }
    if (epoll_ctl(slot->posix->epoll_fd, EPOLL_CTL_ADD, slot->fd, &event) != 0) {
        return nd__posix_failed(slot->posix, errno);
    }
    return ND_OK;
}

bool nd__slot_buffer(struct slot *slot, uint32_t bytes) {
    if (slot->buffer_bytes < bytes) {
        free(slot->buffer);
        slot->buffer = malloc(bytes);
        slot->buffer_bytes = slot->buffer == NULL ? 0 : bytes;
    }
    return slot->buffer != NULL;
}

void nd__slot_set_waiting(struct slot *slot, bool waiting) {
    uint32_t *count =
        slot->kind == SLOT_UDP ? &slot->posix->datagram_waiting : &slot->posix->accept_waiting;
    if (slot->readable != waiting) {
        slot->readable = waiting;
        *count += waiting ? 1u : UINT32_MAX;
    }
}

int nd__slot_fail(struct slot *slot, int errnum) {
    if (slot->error == ND_OK) {
        slot->error = nd__posix_result(errnum);
        slot->cause = errnum;
        slot->connecting = false;
    }
    return slot->error;
}

static void unlist(struct slot *slot) {
    struct slot **link = &slot->posix->corked;
    while (*link != slot) {
        link = &(*link)->next_corked;
    }
    *link = slot->next_corked;
}

void nd__slot_close(struct slot *slot, bool abort) {
    if (slot->listed) {
        unlist(slot);
    }
    if (slot->kind == SLOT_LISTENER || slot->kind == SLOT_UDP) {
        nd__slot_set_waiting(slot, false);
    }
    if (abort) {
        nd__socket_reset(slot->fd);
    } else if (slot->fd >= 0) {
        close(slot->fd);
    }
    slot->fd = -1;
    slot->kind = SLOT_FREE;
}

void nd__slot_learn_local(struct slot *slot) {
    struct sockaddr_storage address;
    socklen_t len = sizeof address;
    if (getsockname(slot->fd, (struct sockaddr *)&address, &len) == 0) {
        nd__address_get(&address, &slot->local);
    }
}

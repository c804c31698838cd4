/* SPDX-License-Identifier: BSD-3-Clause */
/* socket.c - sockets as every kind of slot wants them. */
#include <string.h>

#include "slot.h"

void nd__socket_set(int fd, int level, int name, int value) {
    setsockopt(fd, level, name, &value, sizeof value);
}

/* An int from bytes of a configuration. */
static int as_int(uint32_t value) {
    return value > INT32_MAX ? INT32_MAX : (int)value;
}

/* Close this descriptor after a failure; -1, and errno as it was. */
static int drop(int fd) {
    int errnum = errno;
    close(fd);
    errno = errnum;
    return -1;
}

/* This descriptor, whose calls no longer wait; or -1 with errno. */
static int non_blocking(int fd) {
    if (fd < 0) {
        return -1;
    }
#if defined(ND_BSD_FIONBIO)
    int on = 1;
    return ioctl(fd, FIONBIO, &on) == 0 ? fd : drop(fd);
#else
    int flags = fcntl(fd, F_GETFL, 0);
    bool done = flags != -1 && fcntl(fd, F_SETFL, flags | O_NONBLOCK) != -1;
    return done ? fd : drop(fd);
#endif
}

/* One that select() can be asked for. */
static int countable(int fd) {
#if defined(ND_BSD_SELECT)
    if (fd >= (int)FD_SETSIZE) {
        close(fd);
        errno = EMFILE;
        return -1;
    }
#endif
    return fd;
}

/* A new socket, non-blocking. */
static int open_new(const struct nd_bsd *bsd, int domain, int type) {
    if (bsd->system != NULL) {
        return bsd->system->open_socket(domain, type);
    }
    return non_blocking(countable(socket(domain, type, 0)));
}

int nd__socket_accept(const struct nd_bsd *bsd, int listener, union nd__address *from) {
    socklen_t len = sizeof *from;
    if (bsd->system != NULL) {
        return bsd->system->take_caller(listener, &from->any, &len);
    }
    return non_blocking(countable(accept(listener, &from->any, &len)));
}

static int open_family(const struct nd_bsd *bsd, int family, int type) {
    if (family != 6) {
        return open_new(bsd, AF_INET, type);
    }
#if ND__BSD_IPV6
    int fd = open_new(bsd, AF_INET6, type);
    if (fd >= 0) {
        nd__socket_set(fd, IPPROTO_IPV6, IPV6_V6ONLY, 0);
    }
    return fd;
#else
    errno = EAFNOSUPPORT;
    return -1;
#endif
}

int nd__socket_open(const struct nd_bsd *bsd, int family, int type) {
    uint32_t receive_bytes = type == SOCK_DGRAM && bsd->cfg.datagram_receive_bytes != 0
                                 ? bsd->cfg.datagram_receive_bytes
                                 : bsd->cfg.receive_bytes;
    int fd = open_family(bsd, family, type);
    if (fd < 0) {
        return -1;
    }
    if (bsd->cfg.send_bytes != 0) {
        nd__socket_set(fd, SOL_SOCKET, SO_SNDBUF, as_int(bsd->cfg.send_bytes));
    }
    if (receive_bytes != 0) {
        nd__socket_set(fd, SOL_SOCKET, SO_RCVBUF, as_int(receive_bytes));
    }
#if defined(SO_NOSIGPIPE)
    nd__socket_set(fd, SOL_SOCKET, SO_NOSIGPIPE, 1);
#endif
    if (type == SOCK_STREAM) {
        nd__socket_set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
    }
    return fd;
}

static int open_bound(const struct nd_bsd *bsd, int family, int type, const struct nd_addr *at) {
    int fd = nd__socket_open(bsd, family, type);
    if (fd < 0) {
        return -1;
    }
    if (type == SOCK_STREAM) { /* old connections in TIME-WAIT are no obstacle */
        nd__socket_set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
    }
    union nd__address address;
    socklen_t len = nd__address_put(at, family == 6, &address);
    return bind(fd, &address.any, len) == 0 ? fd : drop(fd);
}

int nd__socket_bound(const struct nd_bsd *bsd, int type, const struct nd_addr *at, bool *v6) {
    *v6 = at->family != 4;
    int fd = open_bound(bsd, *v6 ? 6 : 4, type, at);
    if (fd < 0 && at->family == 0 && (errno == EAFNOSUPPORT || errno == EADDRNOTAVAIL)) {
        *v6 = false; /* any address of a machine without IPv6 */
        fd = open_bound(bsd, 4, type, at);
    }
    return fd;
}

void nd__socket_reset(const struct nd_bsd *bsd, int fd) {
    struct linger linger;
    if (bsd->cfg.abort != NULL) {
        bsd->cfg.abort(fd);
    } else {
        memset(&linger, 0, sizeof linger);
        linger.l_onoff = 1;
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &linger, sizeof linger);
    }
    close(fd);
}

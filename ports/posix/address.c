/* SPDX-License-Identifier: BSD-3-Clause */
/* address.c - the kernel's addresses and error numbers in our terms. */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>

#include "slot.h"

static const uint8_t mapped_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

static socklen_t put_v4(const struct nd_addr *addr, struct sockaddr_storage *out) {
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons(addr->port)};
    memcpy(&in.sin_addr, addr->ip, sizeof in.sin_addr);
    memcpy(out, &in, sizeof in);
    return sizeof in;
}

static socklen_t put_v6(const struct nd_addr *addr, struct sockaddr_storage *out) {
    struct sockaddr_in6 in = {.sin6_family = AF_INET6, .sin6_port = htons(addr->port)};
    uint8_t *ip = in.sin6_addr.s6_addr;
    if (addr->family == 4) {
        memcpy(ip, mapped_prefix, sizeof mapped_prefix);
        memcpy(ip + sizeof mapped_prefix, addr->ip, 4);
    } else {
        memcpy(ip, addr->ip, sizeof addr->ip);
    }
    memcpy(out, &in, sizeof in);
    return sizeof in;
}

socklen_t nd__address_put(const struct nd_addr *addr, bool v6, struct sockaddr_storage *out) {
    if (v6) {
        return put_v6(addr, out);
    }
    return addr->family == 6 ? 0 : put_v4(addr, out);
}

void nd__address_get(const struct sockaddr_storage *in, struct nd_addr *addr) {
    *addr = (struct nd_addr){.family = 0};
    if (in->ss_family == AF_INET) {
        struct sockaddr_in v4;
        memcpy(&v4, in, sizeof v4);
        addr->family = 4;
        addr->port = ntohs(v4.sin_port);
        memcpy(addr->ip, &v4.sin_addr, 4);
        return;
    }
    struct sockaddr_in6 v6;
    memcpy(&v6, in, sizeof v6);
    const uint8_t *ip = v6.sin6_addr.s6_addr;
    addr->port = ntohs(v6.sin6_port);
    if (memcmp(ip, mapped_prefix, sizeof mapped_prefix) == 0) {
        addr->family = 4;
        memcpy(addr->ip, ip + sizeof mapped_prefix, 4);
    } else {
        addr->family = 6;
        memcpy(addr->ip, ip, sizeof addr->ip);
    }
}

int nd__posix_result(int errnum) {
    static const struct {
        int errnum;
        int result;
    } rows[] = {
        {ECONNREFUSED, ND_E_REFUSED},
        {ECONNRESET, ND_E_RESET},
        {ECONNABORTED, ND_E_RESET},
        {EPIPE, ND_E_RESET}, /* a reset after the peer's end */
        {ETIMEDOUT, ND_E_TIMEOUT},
        {EHOSTUNREACH, ND_E_UNREACHABLE},
        {ENETUNREACH, ND_E_UNREACHABLE},
        {ENETDOWN, ND_E_UNREACHABLE},
        {EHOSTDOWN, ND_E_UNREACHABLE},
        {EADDRNOTAVAIL, ND_E_UNREACHABLE}, /* not ours, or no port number left */
        {EADDRINUSE, ND_E_IN_USE},
        {EMFILE, ND_E_FULL},
        {ENFILE, ND_E_FULL},
        {ENOMEM, ND_E_MEMORY},
        {ENOBUFS, ND_E_MEMORY},
        {EMSGSIZE, ND_E_ARG},
        {EINVAL, ND_E_ARG},
        {EAFNOSUPPORT, ND_E_UNSUPPORTED},
        {EPROTONOSUPPORT, ND_E_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].errnum == errnum) {
            return rows[i].result;
        }
    }
    return ND_E_STACK;
}

int nd__posix_failed(struct nd_posix *posix, int errnum) {
    posix->error = errnum;
    return nd__posix_result(errnum);
}

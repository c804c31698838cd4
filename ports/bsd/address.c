/* SPDX-License-Identifier: BSD-3-Clause */
/* address.c - the system's addresses and error numbers in our terms. */
#include <string.h>

#include "slot.h"

#if ND__BSD_IPV6
static const uint8_t mapped_prefix[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF};

static socklen_t put_v6(const struct nd_addr *addr, union nd__address *out) {
    uint8_t *ip = out->v6.sin6_addr.s6_addr;
    out->v6.sin6_family = AF_INET6;
    out->v6.sin6_port = htons(addr->port);
#if defined(ND_BSD_SA_LEN)
    out->v6.sin6_len = sizeof out->v6;
#endif
    if (addr->family == 4) {
        memcpy(ip, mapped_prefix, sizeof mapped_prefix);
        memcpy(ip + sizeof mapped_prefix, addr->ip, 4);
    } else {
        memcpy(ip, addr->ip, sizeof addr->ip);
    }
    return sizeof out->v6;
}

static void get_v6(const union nd__address *in, struct nd_addr *addr) {
    const uint8_t *ip = in->v6.sin6_addr.s6_addr;
    addr->port = ntohs(in->v6.sin6_port);
    if (memcmp(ip, mapped_prefix, sizeof mapped_prefix) == 0) {
        addr->family = 4;
        memcpy(addr->ip, ip + sizeof mapped_prefix, 4);
    } else {
        addr->family = 6;
        memcpy(addr->ip, ip, sizeof addr->ip);
    }
}
#endif

socklen_t nd__address_put(const struct nd_addr *addr, bool v6, union nd__address *out) {
    memset(out, 0, sizeof *out);
#if ND__BSD_IPV6
    if (v6) {
        return put_v6(addr, out);
    }
#endif
    if (v6 || addr->family == 6) {
        return 0;
    }
    out->v4.sin_family = AF_INET;
    out->v4.sin_port = htons(addr->port);
#if defined(ND_BSD_SA_LEN)
    out->v4.sin_len = sizeof out->v4;
#endif
    memcpy(&out->v4.sin_addr, addr->ip, sizeof out->v4.sin_addr);
    return sizeof out->v4;
}

void nd__address_get(const union nd__address *in, struct nd_addr *addr) {
    memset(addr, 0, sizeof *addr);
    if (in->any.sa_family == AF_INET) {
        addr->family = 4;
        addr->port = ntohs(in->v4.sin_port);
        memcpy(addr->ip, &in->v4.sin_addr, sizeof in->v4.sin_addr);
        return;
    }
#if ND__BSD_IPV6
    get_v6(in, addr);
#endif
}

int nd__bsd_result(int errnum) {
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
#if defined(EHOSTDOWN) /* not of POSIX */
        {EHOSTDOWN, ND_E_UNREACHABLE},
#endif
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

int nd__bsd_failed(struct nd_bsd *bsd, int errnum) {
    bsd->error = errnum;
    return nd__bsd_result(errnum);
}

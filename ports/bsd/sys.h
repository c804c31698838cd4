/* SPDX-License-Identifier: BSD-3-Clause */
/* sys.h - the headers of the sockets, and what not every system has.
 *
 *   ND_BSD_LWIP     the sockets are lwIP's own (lwip/sockets.h, LWIP_COMPAT_SOCKETS 1)
 *   ND_BSD_HEADER   the name of a header, with its quotes, that declares them where nothing here
 *                   fits;it may set the others
 *   ND_BSD_SELECT   there is no poll(): use select()
 *   ND_BSD_FIONBIO  non-blocking is set by ioctl(), as eCos has it, not by fcntl()
 *   ND_BSD_SA_LEN   addresses begin with their length, and the system looks at it */
#ifndef ND_BSD_SYS_H
#define ND_BSD_SYS_H

#if defined(ND_BSD_HEADER)
#include ND_BSD_HEADER
#elif defined(ND_BSD_LWIP)
#include "lwip/errno.h"
#include "lwip/sockets.h"
#else
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>
#if defined(__ECOS)
#define ND_BSD_SELECT
#define ND_BSD_FIONBIO
#define ND_BSD_SA_LEN
#endif
#if defined(ND_BSD_FIONBIO)
#include <sys/ioctl.h>
#else
#include <fcntl.h>
#endif
#if defined(ND_BSD_SELECT)
#include <sys/select.h>
#include <sys/time.h>
#else
#include <poll.h>
#endif
#endif

/* Where a write to a connection that is gone would raise SIGPIPE: say no for this one, or for the
 * socket (socket.c); the owner of a system that has neither ignores the signal. */
#if defined(MSG_NOSIGNAL)
#define ND__SEND_FLAGS MSG_NOSIGNAL
#else
#define ND__SEND_FLAGS 0
#endif

/* Callers that may wait to be accepted. */
#if defined(SOMAXCONN)
#define ND__BACKLOG SOMAXCONN
#else
#define ND__BACKLOG 8
#endif

/* lwIP defines AF_INET6 also without IPv6. */
#if defined(ND_BSD_LWIP)
#define ND__BSD_IPV6 LWIP_IPV6
#elif defined(AF_INET6) && defined(IPV6_V6ONLY)
#define ND__BSD_IPV6 1
#else
#define ND__BSD_IPV6 0
#endif

/* An address of either family. Not struct sockaddr_storage, which older stacks lack. */
union nd__address {
    struct sockaddr any;
    struct sockaddr_in v4;
#if ND__BSD_IPV6
    struct sockaddr_in6 v6;
#endif
};

#endif

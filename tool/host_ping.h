/* SPDX-License-Identifier: BSD-3-Clause */
/* host_ping.h - echo requests over this machine's kernel, for nd/ping.h. */
#ifndef ND_TOOL_HOST_PING_H
#define ND_TOOL_HOST_PING_H

#include <stdint.h>

#include "nd/ping.h"
#include "posix.h"

/* Owner: the caller; made by host_ping_init(). */
struct host_ping {
    struct nd_ping_path path;
    struct nd_posix *posix; /* sleeps until a reply comes */
    int fd;                 /* -1 = closed */
    bool raw;               /* replies come with their IP header, everybody's, and our identifier */
};

void host_ping_init(struct host_ping *ping, struct nd_posix *posix);

#endif

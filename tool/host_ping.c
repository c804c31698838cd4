/* SPDX-License-Identifier: BSD-3-Clause */
#include "host_ping.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "nd/error.h"

/* An IPv4 header is at most so long [byte]. */
#define IP_HEADER_MAX 60

/* The kernel's own echo socket is for the groups of net.ipv4.ping_group_range; a raw one for those
 * with CAP_NET_RAW. */
static int open_path(void *ctx) {
    struct host_ping *ping = ctx;

    ping->raw = false;
    ping->fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_ICMP);
    if (ping->fd < 0) {
        ping->raw = true;
        ping->fd = socket(AF_INET, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, IPPROTO_ICMP);
    }
    if (ping->fd < 0) {
        return ND_E_UNSUPPORTED;
    }
    if (nd_posix_watch(ping->posix, ping->fd) != ND_OK) {
        close(ping->fd);
        return ND_E_MEMORY;
    }
    return ND_OK;
}

/* Of a raw socket; the kernel chooses that of the other. */
static uint16_t identifier(void) {
    return (uint16_t)getpid();
}

static int send_path(void *ctx, const struct nd_addr *to, uint16_t sequence, uint32_t bytes) {
    const struct host_ping *ping = ctx;
    struct sockaddr_in address = {.sin_family = AF_INET};
    uint8_t message[ND_PING_HEADER_BYTES + ND_PING_BYTES_MAX];

    memcpy(&address.sin_addr, to->ip, 4);
    nd_ping_write(message, identifier(), sequence, bytes);
    if (sendto(ping->fd, message, ND_PING_HEADER_BYTES + bytes, 0, (struct sockaddr *)&address,
               sizeof address) >= 0) {
        return ND_OK;
    }
    return errno == EAGAIN || errno == ENOBUFS ? ND_AGAIN : ND_E_UNREACHABLE;
}

/* The kernel has put one of its own into the messages of its echo socket, which hears no other. */
static uint16_t expected(const struct host_ping *ping, const uint8_t *message, uint32_t len) {
    if (ping->raw || len < ND_PING_HEADER_BYTES) {
        return identifier();
    }
    return (uint16_t)(message[4] << 8 | message[5]);
}

static int32_t heard_path(void *ctx) {
    const struct host_ping *ping = ctx;
    uint8_t bytes[IP_HEADER_MAX + ND_PING_HEADER_BYTES + ND_PING_BYTES_MAX];
    ssize_t n;

    while ((n = recv(ping->fd, bytes, sizeof bytes, 0)) > 0) {
        size_t header = ping->raw ? (bytes[0] & 15u) * 4u : 0;
        const uint8_t *message = bytes + header;
        uint32_t len = (size_t)n > header ? (uint32_t)((size_t)n - header) : 0;
        int32_t sequence = nd_ping_read(message, len, expected(ping, message, len));

        if (sequence >= 0) {
            return sequence;
        }
    }
    return ND_AGAIN;
}

static void close_path(void *ctx) {
    struct host_ping *ping = ctx;

    nd_posix_unwatch(ping->posix, ping->fd);
    close(ping->fd);
    ping->fd = -1;
}

void host_ping_init(struct host_ping *ping, struct nd_posix *posix) {
    *ping = (struct host_ping){
        .path = {ping, open_path, send_path, heard_path, close_path},
        .posix = posix,
        .fd = -1,
    };
}

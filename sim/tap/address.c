/* SPDX-License-Identifier: BSD-3-Clause */
/* By rtnetlink(7): SIOCSIFADDR would replace an address that a borrowed interface has. */
#define _GNU_SOURCE
#include "tap/address.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* A request: header, address, and room for three attributes of four bytes. */
struct request {
    struct nlmsghdr head;
    struct ifaddrmsg address;
    struct {
        struct rtattr head;
        uint8_t ip[4];
    } attributes[3];
};

struct answer {
    struct nlmsghdr head;
    struct nlmsgerr error;
};

_Static_assert(sizeof(struct request) ==
                   NLMSG_SPACE(sizeof(struct ifaddrmsg)) + 3 * RTA_SPACE(sizeof(uint8_t[4])),
               "no gaps that the kernel does not expect");

/* The last address of the network: everybody in it. */
static void broadcast(const uint8_t ip[4], unsigned bits, uint8_t out[4]) {
    for (unsigned i = 0; i < 4; i++) {
        unsigned fixed = bits > 8 * i ? bits - 8 * i : 0;

        out[i] = (uint8_t)(ip[i] | (fixed >= 8 ? 0u : 0xFFu >> fixed));
    }
}

static void build(struct request *request, uint16_t type, uint16_t flags, const uint8_t ip[4],
                  unsigned bits) {
    static const unsigned short kinds[3] = {IFA_LOCAL, IFA_ADDRESS, IFA_BROADCAST};

    request->head.nlmsg_len = sizeof *request;
    request->head.nlmsg_type = type;
    request->head.nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags);
    request->address.ifa_family = AF_INET;
    request->address.ifa_prefixlen = (uint8_t)bits;
    for (unsigned i = 0; i < 3; i++) {
        request->attributes[i].head.rta_type = kinds[i];
        request->attributes[i].head.rta_len = RTA_LENGTH(sizeof request->attributes[i].ip);
        memcpy(request->attributes[i].ip, ip, 4);
    }
    broadcast(ip, bits, request->attributes[2].ip);
}

/* Ask the kernel, and read whether it did: 0 or an errno. */
static int ask(const struct request *request) {
    struct answer answer;
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    ssize_t got = -1;

    if (fd < 0) {
        return errno;
    }
    if (send(fd, request, sizeof *request, 0) == (ssize_t)sizeof *request) {
        do {
            got = recv(fd, &answer, sizeof answer, 0);
        } while (got < 0 && errno == EINTR);
    }
    if (got < (ssize_t)sizeof answer || answer.head.nlmsg_type != NLMSG_ERROR) {
        int error = got < 0 ? errno : EPROTO;

        close(fd);
        return error;
    }
    close(fd);
    return -answer.error.error;
}

static int change(const char *name, uint16_t type, uint16_t flags, const uint8_t ip[4],
                  unsigned bits) {
    struct request request = {.address.ifa_index = if_nametoindex(name)};

    if (request.address.ifa_index == 0) {
        return errno;
    }
    build(&request, type, flags, ip, bits);
    return ask(&request);
}

int nd__tap_address_add(const char *name, const uint8_t ip[4], unsigned bits) {
    return change(name, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, ip, bits);
}

int nd__tap_address_remove(const char *name, const uint8_t ip[4], unsigned bits) {
    return change(name, RTM_DELADDR, 0, ip, bits);
}

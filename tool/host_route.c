/* SPDX-License-Identifier: BSD-3-Clause */
#include <ifaddrs.h>
#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "host.h"

/* An address as sockets have it. */
union address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

static socklen_t to_socket(const struct nd_addr *addr, union address *out) {
    memset(out, 0, sizeof *out);
    if (addr->family == 6) {
        out->v6.sin6_family = AF_INET6;
        out->v6.sin6_port = htons(addr->port);
        memcpy(&out->v6.sin6_addr, addr->ip, 16);
        return sizeof out->v6;
    }
    out->v4.sin_family = AF_INET;
    out->v4.sin_port = htons(addr->port);
    memcpy(&out->v4.sin_addr, addr->ip, 4);
    return sizeof out->v4;
}

static struct nd_addr from_socket(const union address *address) {
    struct nd_addr out = {.family = 4};

    if (address->any.sa_family == AF_INET6) {
        out.family = 6;
        memcpy(out.ip, &address->v6.sin6_addr, 16);
    } else {
        memcpy(out.ip, &address->v4.sin_addr, 4);
    }
    return out;
}

static bool same_address(const struct sockaddr *a, const union address *b) {
    if (a == NULL || a->sa_family != b->any.sa_family) {
        return false;
    }
    if (a->sa_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)(const void *)a;
        return memcmp(&v6->sin6_addr, &b->v6.sin6_addr, 16) == 0;
    }
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)(const void *)a;
    return memcmp(&v4->sin_addr, &b->v4.sin_addr, 4) == 0;
}

/* The name of the interface that has this address; false when none has. */
static bool find_interface(const union address *local, char name[IF_NAMESIZE]) {
    struct ifaddrs *list;
    bool found = false;

    if (getifaddrs(&list) != 0) {
        return false;
    }
    for (const struct ifaddrs *it = list; it != NULL && !found; it = it->ifa_next) {
        if (same_address(it->ifa_addr, local)) {
            snprintf(name, IF_NAMESIZE, "%s", it->ifa_name);
            found = true;
        }
    }
    freeifaddrs(list);
    return found;
}

/* The rate of an interface's link [bit/s]; 0 when its driver has none. */
static uint64_t link_of(int fd, const char *interface) {
    struct ethtool_cmd command = {.cmd = ETHTOOL_GSET};
    struct ifreq request = {.ifr_data = (char *)&command};
    uint32_t mbit_s;

    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", interface);
    if (ioctl(fd, SIOCETHTOOL, &request) != 0) {
        return 0;
    }
    mbit_s = ethtool_cmd_speed(&command);
    return mbit_s != (uint32_t)SPEED_UNKNOWN ? mbit_s * UINT64_C(1000000) : 0;
}

static uint64_t mtu_of(int fd, int family) {
    socklen_t size = sizeof(int);
    int mtu = 0;
    int asked = family == AF_INET6 ? getsockopt(fd, IPPROTO_IPV6, IPV6_MTU, &mtu, &size)
                                   : getsockopt(fd, IPPROTO_IP, IP_MTU, &mtu, &size);

    return asked == 0 && mtu > 0 ? (uint64_t)mtu : 0;
}

/* A datagram socket that is connected has chosen its route, and sends nothing for that. */
struct host_route host_find_route(const struct nd_addr *to) {
    struct host_route route = {0};
    union address address;
    socklen_t size = to_socket(to, &address);
    char interface[IF_NAMESIZE];
    int fd = socket(address.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    if (fd < 0) {
        return route;
    }
    if (connect(fd, &address.any, size) == 0) {
        route.mtu_bytes = mtu_of(fd, address.any.sa_family);
        size = sizeof address;
        if (getsockname(fd, &address.any, &size) == 0) {
            route.local = from_socket(&address);
            if (find_interface(&address, interface)) {
                route.link_bit_s = link_of(fd, interface);
            }
        }
    }
    close(fd);
    return route;
}

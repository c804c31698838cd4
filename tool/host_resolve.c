/* SPDX-License-Identifier: BSD-3-Clause */
#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "host.h"
#include "units.h"

/* Longest name of a host that DNS allows (RFC 1035), and its NUL. */
#define NAME_BYTES 256

/* Cut "name:port" apart. False when the port is none. */
static bool split(const char *text, char name[NAME_BYTES], uint16_t *port) {
    const char *colon = strrchr(text, ':');
    uint64_t number;
    size_t length;

    if (colon == NULL || strchr(text, ':') != colon) { /* none, or an IPv6 address alone */
        colon = text + strlen(text);
    } else if (units_parse(UNITS_COUNT, colon + 1, &number) != UNITS_OK || number < 1 ||
               number > 65535) {
        return false;
    } else {
        *port = (uint16_t)number;
    }
    length = (size_t)(colon - text);
    if (length == 0 || length >= NAME_BYTES) {
        return false;
    }
    memcpy(name, text, length);
    name[length] = '\0';
    return true;
}

static void take(struct nd_addr *addr, const struct sockaddr *from) {
    uint16_t port = addr->port;

    *addr = (struct nd_addr){.port = port};
    if (from->sa_family == AF_INET6) {
        addr->family = 6;
        memcpy(addr->ip, &((const struct sockaddr_in6 *)(const void *)from)->sin6_addr, 16);
    } else {
        addr->family = 4;
        memcpy(addr->ip, &((const struct sockaddr_in *)(const void *)from)->sin_addr, 4);
    }
}

/* An address in numbers, of a port that is one. */
static bool take_numbers(const char *text, struct nd_addr *addr) {
    struct nd_addr found = *addr;

    if (nd_addr_parse(text, strlen(text), &found) != ND_OK || found.port == 0) {
        return false;
    }
    *addr = found;
    return true;
}

bool host_is_form(const char *text) {
    struct nd_addr addr = {.port = 1};
    char name[NAME_BYTES];

    return take_numbers(text, &addr) || split(text, name, &addr.port);
}

int host_resolve(const char *text, struct nd_addr *addr, char *error, size_t error_size) {
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    char name[NAME_BYTES];
    uint16_t port = addr->port;
    int result;

    if (take_numbers(text, addr)) {
        return 0;
    }
    if (!split(text, name, &port)) {
        snprintf(error, error_size, "%s: expected HOST or HOST:PORT with PORT 1 to 65535", text);
        return ND_E_ARG;
    }
    result = getaddrinfo(name, NULL, &hints, &found);
    if (result != 0) {
        snprintf(error, error_size, "cannot find host %s: %s", name, gai_strerror(result));
        return ND_E_UNREACHABLE;
    }
    addr->port = port;
    take(addr, found->ai_addr);
    freeaddrinfo(found);
    return 0;
}

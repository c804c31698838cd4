/* SPDX-License-Identifier: BSD-3-Clause */
#include "udp_guard.h"

/* echo, daytime, qotd, chargen, time, DNS, TFTP, NTP: they answer whatever comes. */
static bool answers_anything(uint16_t port) {
    static const uint8_t ports[] = {0, 7, 13, 17, 19, 37, 53, 69, 123};

    for (unsigned i = 0; i < sizeof ports; i++) {
        if (ports[i] == port) {
            return true;
        }
    }
    return false;
}

static bool is_zero(const uint8_t *bytes, unsigned len) {
    for (unsigned i = 0; i < len; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

/* 0.0.0.0/8 is nobody; from 224.0.0.0 on there is multicast, reserved and broadcast. */
static bool is_one_machine(const struct nd_addr *addr) {
    if (addr->family == 4) {
        return addr->ip[0] != 0 && addr->ip[0] < 224;
    }
    return addr->family == 6 && addr->ip[0] != 0xFF && !is_zero(addr->ip, sizeof addr->ip);
}

bool nd__udp_guard_allows(const struct nd_addr *from) {
    return !answers_anything(from->port) && is_one_machine(from);
}

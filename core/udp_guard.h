/* SPDX-License-Identifier: BSD-3-Clause */
/* core/udp_guard.h - to whom a service may send datagrams because of one that came.
 *
 * A source address is easily forged. Two simple services that answer each other never stop, and
 * one datagram to a broadcast or multicast address reaches many. */
#ifndef ND__UDP_GUARD_H
#define ND__UDP_GUARD_H

#include <stdbool.h>

#include "nd/addr.h"

/* False for ports 0, 7, 13, 17, 19, 37, 53, 69 and 123, and for addresses that are not of one
 * machine. */
bool nd__udp_guard_allows(const struct nd_addr *from);

#endif

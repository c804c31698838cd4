/* SPDX-License-Identifier: BSD-3-Clause */
/* netif.h - lwIP's network interface over the simulated Ethernet controller. */
#ifndef ND_NETIF_H
#define ND_NETIF_H

#include <stdbool.h>
#include <stdint.h>

#include "nd/addr.h"

#include "lwip/ip_addr.h"

/* Bring the interface up with the address that the simulator gave; without one, ask a DHCP server
 * and say on the console what it answers. After lwip_init(). */
void nd_netif_start(const uint8_t mac[6]);

/* Exchange with the simulator, waiting up to `wait` ticks, and hand what arrived to lwIP: at most
 * one ring of frames, so that the rest of the main loop gets its turn under any load. */
void nd_netif_poll(uint32_t wait);

/* The interface's own address, for the agent: kept up to date, family 0 while there is none. */
extern struct nd_addr nd_netif_address;

/* Buffers of lwIP's pool that wait in the receive ring. */
uint32_t nd_netif_posted(void);

/* The gateway, which is the peer on a simulated wire. */
const ip4_addr_t *nd_netif_gateway(void);

#endif

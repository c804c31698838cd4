/* SPDX-License-Identifier: BSD-3-Clause */
/* netif.h - picoTCP's device over the simulated Ethernet controller. */
#ifndef ND_NETIF_H
#define ND_NETIF_H

#include <stdbool.h>
#include <stdint.h>

#include "nd/addr.h"

struct pico_device;

/* Bring the device up with the address that the simulator gave. After pico_stack_init(). */
void nd_netif_start(const uint8_t mac[6]);

/* Exchange with the simulator, waiting up to `wait` ticks, and hand what arrived to picoTCP: at
 * most one ring of frames. */
void nd_netif_poll(uint32_t wait);

/* A frame waits in one of picoTCP's queues for the next tick. */
bool nd_netif_pending(void);

/* For what goes around picoTCP. */
struct pico_device *nd_netif_device(void);
void nd_netif_transmit(const void *frame, uint32_t bytes);

/* The device's own address, for the agent. */
extern struct nd_addr nd_netif_address;

#endif

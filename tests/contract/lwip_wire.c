/* SPDX-License-Identifier: BSD-3-Clause */
/* lwip_wire.c - what lwIP asks of a program, and an interface to itself. */
#include "lwip_wire.h"

#include <stdio.h>
#include <stdlib.h>

#include "lwip/ip4.h"
#include "lwip/netif.h"
#include "lwip/pbuf.h"
#include "lwip/stats.h"

/* Packets that arrive before the engines get their turn, as on a wire. lwIP's own loopback
 * interface knows no such bound, and two ends whose windows are both shut answer each other's
 * acknowledgements for ever. */
#define PACKETS_A_TURN 64u

#define QUEUE 256u

/* The interface to itself: packets on their way, oldest first. */
static struct netif interface;
static struct pbuf *packets[QUEUE];
static unsigned first;
static unsigned count;

unsigned nd_lwip_random(void) {
    static uint32_t state = 1;

    state = state * 1664525u + 1013904223u;
    return state >> 8;
}

void nd_lwip_assert_failed(const char *text, const char *file, int line) {
    fprintf(stderr, "%s:%d: lwIP: %s\n", file, line, text);
    abort();
}

/* Copies, so without memory it refuses. */
static err_t send_packet(struct netif *netif, struct pbuf *packet, const ip4_addr_t *to) {
    struct pbuf *copy;

    (void)netif;
    (void)to;
    if (count == QUEUE) {
        return ERR_BUF;
    }
    copy = pbuf_clone(PBUF_RAW, PBUF_RAM, packet);
    if (copy == NULL) {
        return ERR_MEM;
    }
    packets[(first + count) % QUEUE] = copy;
    count++;
    return ERR_OK;
}

static err_t describe(struct netif *netif) {
    netif->name[0] = 'w';
    netif->name[1] = 'o';
    netif->mtu = 1500;
    netif->output = send_packet;
    return ERR_OK;
}

void wire_open(void) {
    ip4_addr_t address;
    ip4_addr_t mask;

    IP4_ADDR(&address, 127, 0, 0, 1);
    IP4_ADDR(&mask, 255, 0, 0, 0);
    netif_add(&interface, &address, &mask, &address, NULL, describe, ip4_input);
    netif_set_default(&interface);
    netif_set_up(&interface);
    netif_set_link_up(&interface);
}

void wire_deliver(void) {
    for (unsigned i = 0; i < PACKETS_A_TURN && count > 0; i++) {
        struct pbuf *packet = packets[first];

        first = (first + 1) % QUEUE;
        count--;
        if (interface.input(packet, &interface) != ERR_OK) {
            pbuf_free(packet);
        }
    }
}

long wire_held(void) {
    return (long)lwip_stats.mem.used + lwip_stats.memp[MEMP_PBUF_POOL]->used +
           lwip_stats.memp[MEMP_PBUF]->used + lwip_stats.memp[MEMP_TCP_PCB]->used +
           lwip_stats.memp[MEMP_TCP_SEG]->used + lwip_stats.memp[MEMP_UDP_PCB]->used;
}

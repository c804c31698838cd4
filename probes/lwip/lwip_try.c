/* SPDX-License-Identifier: BSD-3-Clause */
/* Every probe must fire once, from where it matters: from a call inside lwIP. A call from here
 * would prove nothing, since what an optimiser of the whole program joins is lwIP's own objects. */
#include "lwip_timing.h"

#include "lwip/etharp.h"
#include "lwip/netif.h"
#include "lwip/pbuf.h"
#include "lwip/prot/ethernet.h"
#include "lwip/udp.h"

#define BYTES 64u

static struct nd_timing_row *row_of(enum nd_lwip_row row) {
    return &nd_lwip_timing.rows[row];
}

/* The row fired since `before`, beyond the calls that this file made itself. */
static void expect(enum nd_lwip_row row, uint64_t before) {
    if (row_of(row)->state == ND_NOT_HOOKED && row_of(row)->count > before) {
        row_of(row)->state = ND_OK;
    }
}

static uint64_t count_of(enum nd_lwip_row row) {
    return row_of(row)->count;
}

/* pbuf.c calls mem.c. */
static void try_heap(void) {
    static const uint8_t bytes[BYTES];
    struct pbuf *p = pbuf_alloc(PBUF_RAW, BYTES, PBUF_RAM);

    expect(ND_LWIP_NET_MALLOC, 0);
    if (p == NULL) {
        return;
    }
    pbuf_take(p, bytes, BYTES);
    expect(ND_LWIP_NET_MEMCPY, 0);
    pbuf_realloc(p, BYTES / 2u);
    expect(ND_LWIP_NET_TRIM, 0);
    pbuf_free(p);
    expect(ND_LWIP_NET_FREE, 0);
}

/* pbuf.c and udp.c call memp.c, and udp.c clears what it got. */
static void try_pools(void) {
    struct pbuf *p = pbuf_alloc(PBUF_RAW, BYTES, PBUF_POOL);

    expect(ND_LWIP_CLUSTER_ALLOC, 0);
    if (p != NULL) {
        pbuf_free(p);
        expect(ND_LWIP_POOL_FREE, 0);
    }
    struct udp_pcb *pcb = udp_new();
    expect(ND_LWIP_POOL_ALLOC, 0);
    expect(ND_LWIP_NET_MEMSET, 0);
    if (pcb != NULL) {
        udp_remove(pcb);
    }
}

static err_t swallow(struct netif *netif, struct pbuf *packet, const ip4_addr_t *to) {
    (void)netif, (void)packet, (void)to;
    return ERR_OK;
}

static err_t describe(struct netif *netif) {
    netif->output = swallow;
    netif->mtu = 1500;
    return ERR_OK;
}

static err_t refuse(struct pbuf *packet, struct netif *netif) {
    (void)packet, (void)netif;
    return ERR_IF;
}

/* A datagram without room for its headers: udp.c puts a pbuf in front of it and frees that, and
 * the checksum of IP is made, on an interface that swallows it. */
static void try_datagram(void) {
    static struct netif nowhere;
    static uint8_t bytes[BYTES];
    const ip4_addr_t here = {PP_HTONL(0x7F000001u)};
    const ip4_addr_t mask = {PP_HTONL(0xFF000000u)};
    ip_addr_t to;
    struct udp_pcb *pcb = udp_new();
    struct pbuf *p = pbuf_alloc(PBUF_RAW, BYTES, PBUF_REF);

    ip_addr_copy_from_ip4(to, here);
    if (pcb != NULL && p != NULL &&
        netif_add(&nowhere, &here, &mask, &here, NULL, describe, refuse)) {
        uint64_t allocs = count_of(ND_LWIP_MBUF_ALLOC);
        uint64_t frees = count_of(ND_LWIP_MBUF_FREE);

        p->payload = bytes;
        netif_set_up(&nowhere);
        netif_set_link_up(&nowhere);
        udp_sendto_if(pcb, p, &to, 9, &nowhere);
        netif_remove(&nowhere);
        expect(ND_LWIP_MBUF_ALLOC, allocs);
        expect(ND_LWIP_MBUF_FREE, frees);
        expect(ND_LWIP_CHECKSUM, 0);
    }
    if (p != NULL) {
        pbuf_free(p);
    }
    if (pcb != NULL) {
        udp_remove(pcb);
    }
}

/* Out goes an announcement of our address; in comes a frame that nobody wants. */
static void try_interface(struct netif *interface) {
    etharp_gratuitous(interface);
    expect(ND_LWIP_DRIVER_OUTPUT, 0);

    struct pbuf *p = pbuf_alloc(PBUF_RAW, BYTES, PBUF_POOL);
    if (p == NULL) {
        return;
    }
    ((uint8_t *)p->payload)[SIZEOF_ETH_HDR - 2u] = 0x88; /* IEEE 802: local experiments */
    ((uint8_t *)p->payload)[SIZEOF_ETH_HDR - 1u] = 0xB5;
    if (interface->input(p, interface) != ERR_OK) {
        pbuf_free(p);
    }
    expect(ND_LWIP_STACK_INPUT, 0);
}

void nd__lwip_try(struct netif *interface) {
    nd_timing_reset(&nd_lwip_timing);
    try_heap();
    try_pools();
    try_datagram();
    try_interface(interface);
}

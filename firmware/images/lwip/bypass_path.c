/* SPDX-License-Identifier: BSD-3-Clause */
/* `bypass` takes its frame from lwIP's heap while it runs, and hands it to the interface below
 * lwIP's Ethernet layer. */
#include "stack.h"

#include <string.h>

#include "lwip/etharp.h"
#include "lwip/netif.h"
#include "lwip/pbuf.h"

static struct pbuf *frame;

static int resolve(void *ctx, const struct nd_addr *to, struct nd_bypass_ends *ends) {
    struct netif *netif = netif_default;
    struct eth_addr *mac;
    const ip4_addr_t *found;
    ip4_addr_t next;

    (void)ctx;
    memcpy(&next, to->ip, sizeof(next));
    if (!ip4_addr_netcmp(&next, netif_ip4_addr(netif), netif_ip4_netmask(netif))) {
        next = *netif_ip4_gw(netif);
    }
    if (etharp_find_addr(netif, &next, &mac, &found) < 0) {
        return etharp_request(netif, &next) == ERR_OK ? ND_AGAIN : ND_E_UNREACHABLE;
    }
    memcpy(ends->own_mac, netif->hwaddr, sizeof(ends->own_mac));
    memcpy(ends->own_ip, netif_ip4_addr(netif), sizeof(ends->own_ip));
    memcpy(ends->next_mac, mac, sizeof(ends->next_mac));
    return ND_OK;
}

static uint8_t *reserve(void *ctx, uint32_t len) {
    (void)ctx;
    frame = pbuf_alloc(PBUF_RAW, (u16_t)len, PBUF_RAM);
    return frame != NULL ? frame->payload : NULL;
}

static int send(void *ctx) {
    (void)ctx;
    return netif_default->linkoutput(netif_default, frame) == ERR_OK ? ND_OK : ND_AGAIN;
}

static void release(void *ctx) {
    (void)ctx;
    pbuf_free(frame);
    frame = NULL;
}

const struct nd_bypass_path nd_stack_bypass = {NULL, resolve, reserve, send, release};

/* SPDX-License-Identifier: BSD-3-Clause */
/* `bypass` takes its frame from picoTCP's heap while it runs, and hands it to the driver. */
#include "netif.h"
#include "picotcp_host.h"
#include "stack.h"

#include <string.h>

#include "nd/error.h"

#include "pico_arp.h"
#include "pico_device.h"
#include "pico_ipv4.h"

static uint8_t *frame;
static uint32_t frame_bytes;

static int resolve(void *ctx, const struct nd_addr *to, struct nd_bypass_ends *ends) {
    struct pico_device *device = nd_netif_device();
    struct pico_ip4 next;
    struct pico_ip4 gateway;
    const struct pico_eth *mac;

    (void)ctx;
    memcpy(&next, to->ip, sizeof(next));
    gateway = pico_ipv4_route_get_gateway(&next);
    if (gateway.addr != PICO_IP4_ANY) {
        next = gateway;
    }
    mac = pico_arp_lookup(&next);
    if (mac == NULL) {
        return pico_arp_request(device, &next, PICO_ARP_QUERY) >= 0 ? ND_AGAIN : ND_E_UNREACHABLE;
    }
    memcpy(ends->own_mac, device->eth->mac.addr, sizeof(ends->own_mac));
    memcpy(ends->own_ip, nd_netif_address.ip, sizeof(ends->own_ip));
    memcpy(ends->next_mac, mac->addr, sizeof(ends->next_mac));
    return ND_OK;
}

static uint8_t *reserve(void *ctx, uint32_t len) {
    (void)ctx;
    frame = nd_heap_alloc(&nd_picotcp_heap, len);
    frame_bytes = len;
    return frame;
}

static int send(void *ctx) {
    (void)ctx;
    nd_netif_transmit(frame, frame_bytes);
    return ND_OK;
}

static void release(void *ctx) {
    (void)ctx;
    nd_heap_free(&nd_picotcp_heap, frame);
    frame = NULL;
}

const struct nd_bypass_path nd_stack_bypass = {NULL, resolve, reserve, send, release};

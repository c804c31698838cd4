/* SPDX-License-Identifier: BSD-3-Clause */
/* The receive ring holds buffers of lwIP's pool that were posted before the frames came, so a frame
 * is written once, where lwIP will read it. While lwIP holds on to the buffers the ring runs dry
 * and frames are lost, as they are on a controller without descriptors. */
#include "netif.h"
#include "board.h"
#include "machine.h"
#include "station.h"

#include <string.h>

#include "nd/fmt.h"

#include "lwip/dhcp.h"
#include "lwip/etharp.h"
#include "lwip/netif.h"
#include "lwip/pbuf.h"
#include "lwip/stats.h"
#include "netif/ethernet.h"

#define RING ND_BOARD_RX_RING

_Static_assert((RING & (RING - 1)) == 0, "the ring's indices run freely modulo its size");
_Static_assert(PBUF_POOL_BUFSIZE >= ND_LOCKSTEP_FRAME_BYTES, "a frame fits into one buffer");
_Static_assert(PBUF_POOL_SIZE > RING, "lwIP can hold frames while the ring is posted");

struct nd_addr nd_netif_address;

static struct netif interface;

/* Free-running indices: handed <= filled <= posted <= handed + RING. */
static struct {
    struct pbuf *buffers[RING];
    uint32_t handed; /* next frame to hand to lwIP */
    uint32_t filled; /* next buffer to receive into */
    uint32_t posted; /* next place to post a buffer in */
} ring;

static struct pbuf **slot(uint32_t index) {
    return &ring.buffers[index & (RING - 1)];
}

static void post_buffers(void) {
    while (ring.posted - ring.handed < RING) {
        struct pbuf *buffer = pbuf_alloc(PBUF_RAW, ND_LOCKSTEP_FRAME_BYTES, PBUF_POOL);
        if (buffer == NULL) {
            return;
        }
        *slot(ring.posted) = buffer;
        ring.posted++;
    }
}

static void *next_buffer(void *ctx) {
    (void)ctx;
    if (ring.filled == ring.posted) {
        LINK_STATS_INC(link.drop);
        return NULL;
    }
    return (*slot(ring.filled))->payload;
}

static void frame_arrived(void *ctx, uint32_t bytes) {
    struct pbuf *frame = *slot(ring.filled);
    (void)ctx;
    frame->len = (u16_t)bytes;
    frame->tot_len = (u16_t)bytes;
    ring.filled++;
}

static void hand_over(void) {
    while (ring.handed != ring.filled) {
        struct pbuf *frame = *slot(ring.handed);
        ring.handed++;
        LINK_STATS_INC(link.recv);
        if (interface.input(frame, &interface) != ERR_OK) {
            pbuf_free(frame);
        }
    }
}

void nd_netif_poll(uint32_t wait) {
    unsigned frames = 0;
    do {
        post_buffers();
        nd_station_poll(wait);
        hand_over();
        wait = 0;
        frames++;
    } while (nd_station_more() && frames < RING);
}

/* The controller gathers the pieces of a frame from where they lie. */
static err_t transmit(struct netif *netif, struct pbuf *frame) {
    (void)netif;
    nd_station_frame(frame->tot_len);
    for (const struct pbuf *piece = frame; piece != NULL; piece = piece->next) {
        nd_station_piece(piece->payload, piece->len);
    }
    LINK_STATS_INC(link.xmit);
    return ERR_OK;
}

static err_t describe(struct netif *netif) {
    netif->name[0] = 'e';
    netif->name[1] = 'n';
    netif->mtu = 1500;
    netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET;
    netif->output = etharp_output;
    netif->linkoutput = transmit;
    return ERR_OK;
}

static ip4_addr_t address(const uint8_t bytes[4]) {
    ip4_addr_t result;
    memcpy(&result.addr, bytes, sizeof(result.addr));
    return result;
}

static void tell_address(struct nd_fmt *out, const char *what, const ip4_addr_t *address) {
    nd_fmt_text(out, what);
    for (unsigned i = 0; i < 4; i++) {
        if (i > 0) {
            nd_fmt_char(out, '.');
        }
        nd_fmt_u64(out, ((const uint8_t *)&address->addr)[i]);
    }
}

static void note_address(void) {
    const ip4_addr_t *ip = netif_ip4_addr(&interface);

    memcpy(nd_netif_address.ip, &ip->addr, sizeof(ip->addr));
    nd_netif_address.family = ip4_addr_isany(ip) ? 0 : 4;
}

/* The address changed: there is a lease, or there is none any more. */
static void tell_lease(struct netif *netif) {
    static ip4_addr_t told;
    char line[96];
    struct nd_fmt out;

    if (ip4_addr_cmp(netif_ip4_addr(netif), &told)) {
        return;
    }
    told = *netif_ip4_addr(netif);
    note_address();
    nd_fmt_init(&out, line, sizeof(line));
    if (ip4_addr_isany_val(told)) {
        nd_fmt_text(&out, "dhcp: the lease ended");
    } else {
        tell_address(&out, "dhcp: address ", &told);
        tell_address(&out, ", mask ", netif_ip4_netmask(netif));
        tell_address(&out, ", gateway ", netif_ip4_gw(netif));
    }
    nd_fmt_char(&out, '\n');
    nd_station_console_write(line, nd_fmt_length(&out));
}

static void start_dhcp(void) {
    netif_set_status_callback(&interface, tell_lease);
    if (dhcp_start(&interface) != ERR_OK) {
        nd_machine_abandon("no memory for a DHCP client");
    }
}

void nd_netif_start(const uint8_t mac[6]) {
    static const struct nd_station_receiver receiver = {next_buffer, frame_arrived, NULL};
    const struct nd_lockstep_welcome *welcome = nd_station_welcome();
    const ip4_addr_t ip = address(welcome->ip);
    const ip4_addr_t mask = address(welcome->mask);
    const ip4_addr_t gateway = address(welcome->gateway);

    netif_add(&interface, &ip, &mask, &gateway, NULL, describe, ethernet_input);
    memcpy(interface.hwaddr, mac, ETH_HWADDR_LEN);
    interface.hwaddr_len = ETH_HWADDR_LEN;
    netif_set_default(&interface);
    nd_station_set_receiver(&receiver);
    netif_set_up(&interface);
    netif_set_link_up(&interface);
    note_address();
    if (ip4_addr_isany_val(ip)) {
        start_dhcp();
    }
}

uint32_t nd_netif_posted(void) {
    return ring.posted - ring.handed;
}

const ip4_addr_t *nd_netif_gateway(void) {
    return netif_ip4_gw(&interface);
}

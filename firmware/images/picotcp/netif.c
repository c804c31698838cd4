/* SPDX-License-Identifier: BSD-3-Clause */
/* The receive ring holds pieces of picoTCP's heap that were posted before the frames came, and that
 * picoTCP frees: a frame is written once, where picoTCP will read it. */
#include "netif.h"
#include "board.h"
#include "machine.h"
#include "picotcp_host.h"
#include "station.h"

#include <string.h>

#include "pico_device.h"
#include "pico_ethernet.h"
#include "pico_ipv4.h"
#include "pico_stack.h"
#include "pico_tcp.h"
#include "pico_udp.h"

#define RING ND_BOARD_RX_RING

_Static_assert((RING & (RING - 1)) == 0, "the ring's indices run freely modulo its size");

struct nd_addr nd_netif_address;

static struct pico_device device;

/* Free-running indices: handed <= filled <= posted <= handed + RING. */
static struct {
    uint8_t *buffers[RING];
    uint32_t bytes[RING];
    uint32_t handed; /* next frame to hand to picoTCP */
    uint32_t filled; /* next buffer to receive into */
    uint32_t posted; /* next place to post a buffer in */
} ring;

static void post_buffers(void) {
    while (ring.posted - ring.handed < RING) {
        uint8_t *buffer = nd_heap_alloc(&nd_picotcp_heap, ND_LOCKSTEP_FRAME_BYTES);

        if (buffer == NULL) {
            return;
        }
        ring.buffers[ring.posted & (RING - 1)] = buffer;
        ring.posted++;
    }
}

static void *next_buffer(void *ctx) {
    (void)ctx;
    return ring.filled == ring.posted ? NULL : ring.buffers[ring.filled & (RING - 1)];
}

static void frame_arrived(void *ctx, uint32_t bytes) {
    (void)ctx;
    ring.bytes[ring.filled & (RING - 1)] = bytes;
    ring.filled++;
}

static void hand_over(void) {
    while (ring.handed != ring.filled) {
        uint32_t at = ring.handed & (RING - 1);

        ring.handed++;
        pico_stack_recv_zerocopy(&device, ring.buffers[at], ring.bytes[at]);
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

bool nd_netif_pending(void) {
    return (device.q_in->frames | device.q_out->frames | pico_proto_ethernet.q_in->frames |
            pico_proto_ethernet.q_out->frames | pico_proto_ipv4.q_in->frames |
            pico_proto_ipv4.q_out->frames | pico_proto_tcp.q_in->frames |
            pico_proto_tcp.q_out->frames | pico_proto_udp.q_in->frames |
            pico_proto_udp.q_out->frames) != 0;
}

struct pico_device *nd_netif_device(void) {
    return &device;
}

void nd_netif_transmit(const void *frame, uint32_t bytes) {
    nd_station_frame(bytes);
    nd_station_piece(frame, bytes);
}

static int transmit(struct pico_device *self, void *frame, int bytes) {
    (void)self;
    nd_netif_transmit(frame, (uint32_t)bytes);
    return bytes;
}

static struct pico_ip4 address(const uint8_t bytes[4]) {
    struct pico_ip4 result;

    memcpy(&result, bytes, sizeof(result));
    return result;
}

static void add_gateway(const struct pico_ip4 *gateway) {
    const struct pico_ip4 any = {PICO_IP4_ANY};

    if (gateway->addr != PICO_IP4_ANY && pico_ipv4_route_add(any, any, *gateway, 1, NULL) != 0) {
        nd_machine_abandon("picoTCP refuses the gateway");
    }
}

void nd_netif_start(const uint8_t mac[6]) {
    static const struct nd_station_receiver receiver = {next_buffer, frame_arrived, NULL};
    const struct nd_lockstep_welcome *welcome = nd_station_welcome();
    const struct pico_ip4 ip = address(welcome->ip);
    const struct pico_ip4 gateway = address(welcome->gateway);

    if (ip.addr == PICO_IP4_ANY) {
        nd_machine_abandon("this image has no DHCP client: give the board an address");
    }
    device.send = transmit;
    if (pico_device_init(&device, "station", mac) != 0 ||
        pico_ipv4_link_add(&device, ip, address(welcome->mask)) != 0) {
        nd_machine_abandon("picoTCP refuses its device");
    }
    add_gateway(&gateway);
    nd_station_set_receiver(&receiver);
    memcpy(nd_netif_address.ip, &ip, sizeof(ip));
    nd_netif_address.family = 4;
}

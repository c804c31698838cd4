/* SPDX-License-Identifier: BSD-3-Clause */
#include "ping_path.h"

#include "lwip/ip4.h"
#include "lwip/netif.h"
#include "lwip/pbuf.h"
#include "lwip/prot/ethernet.h"
#include "lwip/prot/ip.h"
#include "lwip/prot/ip4.h"

/* Of our requests. */
#define IDENTIFIER 0x6E64u

#define TTL 64

static netif_input_fn input; /* the interface's own; NULL = nobody listens */
static int32_t heard = ND_AGAIN;

/* A frame is contiguous here (netif.c). An IP header says its length in words. */
static void look(const struct pbuf *frame) {
    const struct eth_hdr *ethernet = frame->payload;
    const struct ip_hdr *ip = (const void *)(ethernet + 1);
    uint32_t header;

    if (frame->len < sizeof(*ethernet) + sizeof(*ip) || ethernet->type != PP_HTONS(ETHTYPE_IP) ||
        IPH_PROTO(ip) != IP_PROTO_ICMP) {
        return;
    }
    header = sizeof(*ethernet) + IPH_HL_BYTES(ip);
    if (header <= frame->len) {
        int32_t sequence =
            nd_ping_read((const uint8_t *)frame->payload + header, frame->len - header, IDENTIFIER);
        heard = sequence >= 0 ? sequence : heard;
    }
}

static err_t hear(struct pbuf *frame, struct netif *netif) {
    look(frame);
    return input(frame, netif);
}

static int start(void *ctx) {
    (void)ctx;
    input = netif_default->input;
    netif_default->input = hear;
    heard = ND_AGAIN;
    return ND_OK;
}

static int request(void *ctx, const struct nd_addr *to, uint16_t sequence, uint32_t bytes) {
    struct pbuf *message = pbuf_alloc(PBUF_IP, (u16_t)(ND_PING_HEADER_BYTES + bytes), PBUF_RAM);
    ip4_addr_t address;
    err_t result;

    (void)ctx;
    if (message == NULL) {
        return ND_AGAIN;
    }
    nd_ping_write(message->payload, IDENTIFIER, sequence, bytes);
    IP4_ADDR(&address, to->ip[0], to->ip[1], to->ip[2], to->ip[3]);
    result = ip4_output(message, NULL, &address, TTL, 0, IP_PROTO_ICMP);
    pbuf_free(message);
    return result == ERR_OK ? ND_OK : result == ERR_MEM ? ND_AGAIN : ND_E_UNREACHABLE;
}

static int32_t take_heard(void *ctx) {
    int32_t sequence = heard;

    (void)ctx;
    heard = ND_AGAIN;
    return sequence;
}

static void finish(void *ctx) {
    (void)ctx;
    netif_default->input = input;
    input = NULL;
}

const struct nd_ping_path nd_ping_path = {NULL, start, request, take_heard, finish};

/* SPDX-License-Identifier: BSD-3-Clause */
/* udp.c - sockets in UDP mode: each received datagram lies behind 8 bytes of who sent how much. */
#include "w5500/model.h"

#include <string.h>

#include "lwip/etharp.h"
#include "lwip/pbuf.h"

/* Most payload of a datagram on an Ethernet; a longer SEND goes out as several [byte]. */
#define DATAGRAM_BYTES 1472u
#define HEADER_BYTES   8u

static void on_datagram(void *arg, struct udp_pcb *pcb, struct pbuf *p, const ip_addr_t *ip,
                        u16_t port) {
    struct nd__socket *s = arg;
    uint8_t header[HEADER_BYTES];

    (void)pcb;
    if (nd__rx_stored(s) + HEADER_BYTES + p->tot_len > nd__rx_size(s)) {
        nd__chip.dropped_datagrams++;
        pbuf_free(p);
        return;
    }
    for (unsigned i = 0; i < 4; i++) {
        header[i] = ip4_addr_get_byte(ip_2_ip4(ip), i);
    }
    nd__put16(header + 4, port);
    nd__put16(header + 6, p->tot_len);
    nd__socket_store(s, header, sizeof header);
    for (const struct pbuf *piece = p; piece != NULL; piece = piece->next) {
        nd__socket_store(s, piece->payload, piece->len);
    }
    pbuf_free(p);
    s->ir |= ND__IR_RECV;
}

void nd__udp_open(struct nd__socket *s) {
    s->udp = udp_new();
    if (s->udp == NULL) {
        return;
    }
    ip_set_option(s->udp, SOF_REUSEADDR);
    udp_bind(s->udp, IP4_ADDR_ANY, nd__get16(s->reg + ND__SN_PORT));
    s->udp->ttl = s->reg[ND__SN_TTL];
    udp_recv(s->udp, on_datagram, s);
    s->sr = ND__SR_UDP;
}

void nd__udp_drop(struct nd__socket *s) {
    if (s->udp != NULL) {
        udp_remove(s->udp);
        s->udp = NULL;
    }
}

/* One datagram, out of the ring. */
static void transmit(struct nd__socket *s, const ip_addr_t *ip, uint32_t len) {
    struct pbuf *p = pbuf_alloc(PBUF_TRANSPORT, (u16_t)len, PBUF_RAM);

    if (p == NULL) {
        return;
    }
    for (uint32_t i = 0; i < len; i++) {
        ((uint8_t *)p->payload)[i] = s->tx[(s->tx_rd + i) & (nd__tx_size(s) - 1)];
    }
    udp_sendto(s->udp, p, ip, nd__get16(s->reg + ND__SN_DPORT));
    pbuf_free(p);
}

static void transmit_all(struct nd__socket *s, const ip_addr_t *ip) {
    while (s->tx_rd != s->tx_taken) {
        uint32_t len = LWIP_MIN((uint16_t)(s->tx_taken - s->tx_rd), DATAGRAM_BYTES);

        transmit(s, ip, len);
        s->tx_rd = (uint16_t)(s->tx_rd + len);
    }
    s->tx_acked = s->tx_taken;
    s->since_ms = 0;
    nd__socket_sent(s);
}

void nd__udp_send(struct nd__socket *s, uint16_t to, bool to_mac) {
    ip_addr_t ip = nd__net_peer(s);

    s->tx_taken = to;
    s->sending = true;
    s->since_ms = nd__now_ms() + 1;
    s->asked = 0;
    if (to_mac) {
        struct eth_addr mac;

        memcpy(mac.addr, s->reg + ND__SN_DHAR, sizeof mac.addr);
        etharp_add_static_entry(ip_2_ip4(&ip), &mac);
        transmit_all(s, &ip);
        etharp_remove_static_entry(ip_2_ip4(&ip));
        return;
    }
    nd__udp_poll(s);
}

/* Nobody has that address. */
static void give_up(struct nd__socket *s) {
    s->sending = false;
    s->tx_rd = s->tx_acked = s->tx_taken;
    s->since_ms = 0;
    s->ir |= ND__IR_TIMEOUT;
}

/* One request at once and one after each RTR; the last interval is waited for, too. */
void nd__udp_poll(struct nd__socket *s) {
    ip_addr_t ip = nd__net_peer(s);
    uint64_t waited_ms = nd__now_ms() + 1 - s->since_ms;

    if (!s->sending) {
        return;
    }
    if (nd__net_resolved(&ip)) {
        transmit_all(s, &ip);
    } else if (waited_ms > nd__net_limit_ms(false)) {
        give_up(s);
    } else if (waited_ms * (nd__chip.reg[ND__RCR] + 1u) >= s->asked * nd__net_limit_ms(false)) {
        s->asked++;
        nd__net_resolve(&ip);
    }
}

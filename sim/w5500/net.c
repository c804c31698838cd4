/* SPDX-License-Identifier: BSD-3-Clause */
/* net.c - lwIP inside the chip, and its interface to the wire. */
#include "w5500/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lwip/etharp.h"
#include "lwip/init.h"
#include "lwip/netif.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/sys.h"
#include "lwip/timeouts.h"
#include "netif/ethernet.h"

/* Longest frame without FCS [byte]. */
#define FRAME_BYTES 1514u

/* An ARP request, or a timed-out command, is looked at so often while one is under way [ms]. */
#define WATCH_MS 10u

static struct netif interface;
static uint32_t random_state;

/* ---- what lwIP asks of the program ---- */

u32_t sys_now(void) {
    return (u32_t)nd__now_ms();
}

/* Marsaglia's xorshift, 13-17-5: never 0 once it is not 0. */
unsigned nd_lwip_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

void nd_lwip_assert_failed(const char *text, const char *file, int line) {
    fprintf(stderr, "netdyno: lwIP of the W5500 model: %s (%s:%d)\n", text, file, line);
    abort();
}

/* ---- the interface ---- */

static err_t send_frame(struct netif *netif, struct pbuf *p) {
    static uint8_t whole[FRAME_BYTES];

    (void)netif;
    if (p->tot_len > sizeof whole) {
        return ERR_BUF;
    }
    pbuf_copy_partial(p, whole, p->tot_len, 0);
    nd__chip.cfg.send(nd__chip.cfg.ctx, whole, p->tot_len);
    return ERR_OK;
}

static err_t describe(struct netif *netif) {
    netif->name[0] = 'w';
    netif->name[1] = '5';
    netif->mtu = 1500;
    netif->hwaddr_len = ETH_HWADDR_LEN;
    netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET;
    netif->output = etharp_output;
    netif->linkoutput = send_frame;
    return ERR_OK;
}

void nd__net_start(void) {
    static bool started;

    random_state = nd__chip.cfg.seed | 1u;
    if (started) {
        return;
    }
    lwip_init();
    netif_add(&interface, IP4_ADDR_ANY4, IP4_ADDR_ANY4, IP4_ADDR_ANY4, NULL, describe,
              ethernet_input);
    netif_set_default(&interface);
    netif_set_link_up(&interface);
    netif_set_up(&interface);
    started = true;
}

void nd__net_stop(void) {
    while (tcp_active_pcbs != NULL) {
        tcp_abandon(tcp_active_pcbs, 0);
    }
    while (tcp_tw_pcbs != NULL) {
        tcp_abandon(tcp_tw_pcbs, 0);
    }
}

static ip4_addr_t address_at(unsigned at) {
    ip4_addr_t address;

    memcpy(&address.addr, nd__chip.reg + at, sizeof address.addr);
    return address;
}

void nd__net_readdress(void) {
    ip4_addr_t ip = address_at(ND__SIPR);
    ip4_addr_t mask = address_at(ND__SUBR);
    ip4_addr_t gateway = address_at(ND__GAR);

    memcpy(interface.hwaddr, nd__chip.reg + ND__SHAR, ETH_HWADDR_LEN);
    netif_set_addr(&interface, &ip, &mask, &gateway);
}

ip_addr_t nd__net_peer(const struct nd__socket *s) {
    ip_addr_t ip;
    const uint8_t *reg = s->reg + ND__SN_DIPR;

    IP_ADDR4(&ip, reg[0], reg[1], reg[2], reg[3]);
    return ip;
}

/* Who gets what is sent there: the gateway, when it is in another network. */
static const ip4_addr_t *next_hop(const ip_addr_t *ip) {
    const ip4_addr_t *hop = ip_2_ip4(ip);

    if (ip4_addr_netcmp(hop, netif_ip4_addr(&interface), netif_ip4_netmask(&interface))) {
        return hop;
    }
    return netif_ip4_gw(&interface);
}

bool nd__net_resolved(const ip_addr_t *ip) {
    const ip4_addr_t *found;
    struct eth_addr *mac;

    if (ip4_addr_isbroadcast(ip_2_ip4(ip), &interface) || ip4_addr_ismulticast(ip_2_ip4(ip))) {
        return true;
    }
    return etharp_find_addr(&interface, next_hop(ip), &mac, &found) >= 0;
}

void nd__net_resolve(const ip_addr_t *ip) {
    etharp_query(&interface, next_hop(ip), NULL);
}

/* RTR is in units of 0.1 ms. In TCP the interval doubles, up to 65535 units (datasheet, RCR). */
uint64_t nd__net_limit_ms(bool doubling) {
    uint64_t interval = nd__get16(nd__chip.reg + ND__RTR);
    uint64_t sum = 0;

    for (unsigned i = 0; i <= nd__chip.reg[ND__RCR]; i++) {
        sum += interval;
        if (doubling) {
            interval = LWIP_MIN(2 * interval, UINT64_C(65535));
        }
    }
    return sum / 10;
}

/* ---- frames and time ---- */

/* An ICMP echo request, by the places of an IPv4 header without options. */
static bool is_ping(const uint8_t *frame, uint32_t bytes) {
    return bytes > 34 && frame[12] == 0x08 && frame[13] == 0x00 && frame[23] == 1 && frame[34] == 8;
}

void nd_chip_receive(const void *frame, uint32_t bytes) {
    struct pbuf *p;

    if ((nd__chip.reg[ND__MR] & ND__MR_PB) != 0 && is_ping(frame, bytes)) {
        return;
    }
    p = pbuf_alloc(PBUF_RAW, (u16_t)bytes, PBUF_RAM);
    if (p == NULL) {
        return;
    }
    pbuf_take(p, frame, (u16_t)bytes);
    if (interface.input(p, &interface) != ERR_OK) {
        pbuf_free(p);
    }
    nd__socket_poll_all();
}

void nd_chip_run(void) {
    sys_check_timeouts();
    nd__socket_poll_all();
}

uint32_t nd_chip_sleep_ms(void) {
    uint32_t sleep_ms = sys_timeouts_sleeptime();

    for (unsigned i = 0; i < ND__SOCKETS; i++) {
        if (nd__chip.sockets[i].since_ms != 0 || nd__chip.sockets[i].sending) {
            sleep_ms = LWIP_MIN(sleep_ms, WATCH_MS);
        }
    }
    return sleep_ms;
}

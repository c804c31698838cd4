/* SPDX-License-Identifier: BSD-3-Clause */
#include "peer/peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lwip/etharp.h"
#include "lwip/init.h"
#include "lwip/netif.h"
#include "lwip/pbuf.h"
#include "lwip/priv/tcp_priv.h"
#include "lwip/sys.h"
#include "lwip/timeouts.h"
#include "netif/ethernet.h"

#include "lwip_raw.h"
#include "nd/lockstep.h"

#define NS_PER_MS UINT64_C(1000000)

/* Engines' connections, as many as lwIP has of its own. */
enum { CONN_COUNT = MEMP_NUM_TCP_PCB };

static struct {
    struct nd__peer_cfg cfg;
    bool up;
    bool initialised; /* lwip_init() may run but once */
    uint64_t now_ns;
    uint64_t base_ms; /* lwIP's time at virtual time 0: its timers do not like to go back */
    uint32_t random;
    struct netif netif;
    struct nd_lwip_raw port;
    struct nd_lwip_raw_conn conns[CONN_COUNT];
} peer;

/* ---- what lwIP asks of the program ---- */

u32_t sys_now(void) {
    return (u32_t)(peer.base_ms + peer.now_ns / NS_PER_MS);
}

/* A counter through the finaliser of MurmurHash3: every seed gives another good sequence. */
unsigned nd_lwip_random(void) {
    uint32_t x = peer.random += 0x9E3779B9u;

    x = (x ^ (x >> 16)) * 0x85EBCA6Bu;
    x = (x ^ (x >> 13)) * 0xC2B2AE35u;
    return x ^ (x >> 16);
}

void nd_lwip_assert_failed(const char *text, const char *file, int line) {
    fprintf(stderr, "netdyno: lwIP of the peer: %s (%s:%d)\n", text, file, line);
    abort();
}

/* ---- its network interface ---- */

static err_t send_frame(struct netif *netif, struct pbuf *p) {
    static uint8_t whole[ND_LOCKSTEP_FRAME_BYTES];
    const void *data = p->payload;

    (void)netif;
    if (p->tot_len > sizeof whole) {
        return ERR_BUF;
    }
    if (p->next != NULL) {
        pbuf_copy_partial(p, whole, p->tot_len, 0);
        data = whole;
    }
    peer.cfg.send(peer.cfg.ctx, data, p->tot_len);
    return ERR_OK;
}

static err_t init_netif(struct netif *netif) {
    static const uint8_t mac[ETH_HWADDR_LEN] = {0x02, 0, 0, 0, 0, 0x01};

    netif->name[0] = 'p';
    netif->name[1] = 'e';
    netif->mtu = 1500;
    netif->hwaddr_len = ETH_HWADDR_LEN;
    memcpy(netif->hwaddr, mac, sizeof mac);
    netif->flags = NETIF_FLAG_BROADCAST | NETIF_FLAG_ETHARP | NETIF_FLAG_ETHERNET;
    netif->output = etharp_output;
    netif->linkoutput = send_frame;
    return ERR_OK;
}

static bool add_netif(void) {
    static const uint8_t ip[4] = ND__PEER_IP;
    static const uint8_t mask[4] = ND__PEER_MASK;
    ip4_addr_t ip4;
    ip4_addr_t mask4;

    IP4_ADDR(&ip4, ip[0], ip[1], ip[2], ip[3]);
    IP4_ADDR(&mask4, mask[0], mask[1], mask[2], mask[3]);
    if (netif_add(&peer.netif, &ip4, &mask4, IP4_ADDR_ANY4, NULL, init_netif, ethernet_input) ==
        NULL) {
        return false;
    }
    netif_set_default(&peer.netif);
    netif_set_link_up(&peer.netif);
    netif_set_up(&peer.netif);
    return true;
}

/* ---- begin and end ---- */

bool nd__peer_open(const struct nd__peer_cfg *cfg) {
    if (peer.up) {
        return false;
    }
    peer.cfg = *cfg;
    peer.random = cfg->seed;
    peer.now_ns = 0;
    if (!peer.initialised) {
        lwip_init();
        peer.initialised = true;
    }
    nd_lwip_raw_init(&peer.port, peer.conns, CONN_COUNT);
    peer.up = add_netif();
    return peer.up;
}

/* What the engines left behind: connections that lwIP still ends or keeps in TIME_WAIT. */
static void abort_all(struct tcp_pcb **list) {
    while (*list != NULL) {
        tcp_abort(*list);
    }
}

void nd__peer_close(void) {
    abort_all(&tcp_active_pcbs);
    abort_all(&tcp_tw_pcbs);
    netif_remove(&peer.netif);
    peer.base_ms += peer.now_ns / NS_PER_MS + 1;
    peer.now_ns = 0;
    peer.up = false;
}

/* ---- time and frames ---- */

void nd__peer_set_time(uint64_t now_ns) {
    peer.now_ns = now_ns;
}

uint64_t nd__peer_timer_ns(void) {
    u32_t sleep_ms = sys_timeouts_sleeptime();

    if (sleep_ms == SYS_TIMEOUTS_SLEEPTIME_INFINITE) {
        return UINT64_MAX;
    }
    return (peer.now_ns / NS_PER_MS + sleep_ms) * NS_PER_MS;
}

void nd__peer_run_timers(void) {
    sys_check_timeouts();
}

void nd__peer_receive(const void *data, uint32_t bytes) {
    struct pbuf *p = pbuf_alloc(PBUF_RAW, (u16_t)bytes, PBUF_POOL);

    if (p == NULL) {
        return;
    }
    pbuf_take(p, data, (u16_t)bytes);
    if (peer.netif.input(p, &peer.netif) != ERR_OK) {
        pbuf_free(p);
    }
}

/* ---- for engines ---- */

static uint32_t read_clock(void *ctx) {
    (void)ctx;
    return (uint32_t)peer.now_ns;
}

const struct nd_port *nd__peer_port(void) {
    return &nd_port_lwip_raw;
}

void *nd__peer_port_ctx(void) {
    return &peer.port;
}

const struct nd_clock *nd__peer_clock(void) {
    static const struct nd_clock clock = {
        .read = read_clock,
        .name = "sim.virtual",
        .hz = 1000000000u,
        .bits = 32,
        .kind = ND_CLOCK_TIME,
    };

    return &clock;
}

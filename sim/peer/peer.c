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
#include "nd/error.h"
#include "nd/lockstep.h"
#include "sim.h"

#define NS_PER_MS UINT64_C(1000000)

/* Engines' connections, as many as lwIP has of its own. */
enum { CONN_COUNT = MEMP_NUM_TCP_PCB };

static const uint8_t peer_ip[4] = {10, 0, 0, 1};
static const uint8_t device_ip[4] = {10, 0, 0, 2};
static const uint8_t network_mask[4] = {255, 255, 255, 0};

static struct {
    struct nd__far_cfg cfg;
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
    ip4_addr_t ip4;
    ip4_addr_t mask4;

    memcpy(&ip4.addr, peer_ip, sizeof ip4.addr);
    memcpy(&mask4.addr, network_mask, sizeof mask4.addr);
    if (netif_add(&peer.netif, &ip4, &mask4, IP4_ADDR_ANY4, NULL, init_netif, ethernet_input) ==
        NULL) {
        return false;
    }
    netif_set_default(&peer.netif);
    netif_set_link_up(&peer.netif);
    netif_set_up(&peer.netif);
    return true;
}

/* ---- time and frames ---- */

static void set_time(void *ctx, uint64_t now_ns) {
    (void)ctx;
    peer.now_ns = now_ns;
}

static uint64_t next_ns(void *ctx, uint64_t until_ns) {
    u32_t sleep_ms = sys_timeouts_sleeptime();

    (void)ctx;
    (void)until_ns;
    if (sleep_ms == SYS_TIMEOUTS_SLEEPTIME_INFINITE) {
        return UINT64_MAX;
    }
    return (peer.now_ns / NS_PER_MS + sleep_ms) * NS_PER_MS;
}

static void trust(void *ctx) {
    (void)ctx;
    NETIF_SET_CHECKSUM_CTRL(&peer.netif,
                            NETIF_CHECKSUM_ENABLE_ALL &
                                ~(NETIF_CHECKSUM_CHECK_IP | NETIF_CHECKSUM_CHECK_UDP |
                                  NETIF_CHECKSUM_CHECK_TCP | NETIF_CHECKSUM_CHECK_ICMP));
}

static int run(void *ctx) {
    (void)ctx;
    sys_check_timeouts();
    return ND_OK;
}

static void receive(void *ctx, const void *data, uint32_t bytes) {
    struct pbuf *p = pbuf_alloc(PBUF_RAW, (u16_t)bytes, PBUF_POOL);

    (void)ctx;
    if (p == NULL) {
        return;
    }
    pbuf_take(p, data, (u16_t)bytes);
    if (peer.netif.input(p, &peer.netif) != ERR_OK) {
        pbuf_free(p);
    }
}

/* ---- begin and end ---- */

/* What the engines left behind: connections that lwIP still ends or keeps in TIME_WAIT. */
static void abort_all(struct tcp_pcb **list) {
    while (*list != NULL) {
        tcp_abort(*list);
    }
}

static void take_down(void *ctx) {
    (void)ctx;
    abort_all(&tcp_active_pcbs);
    abort_all(&tcp_tw_pcbs);
    netif_remove(&peer.netif);
    peer.base_ms += peer.now_ns / NS_PER_MS + 1;
    peer.now_ns = 0;
    peer.up = false;
}

static bool bring_up(const struct nd__far_cfg *cfg) {
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

int nd__peer_open(struct nd__far *far, const struct nd__far_cfg *cfg) {
    static const struct nd__far_class kind = {
        .set_time = set_time,
        .next_ns = next_ns,
        .run = run,
        .receive = receive,
        .trust = trust,
        .close = take_down,
    };

    if (!bring_up(cfg)) {
        snprintf(cfg->error, ND_SIM_ERROR_BYTES, "only one simulation at a time in a process");
        return ND_E_STATE;
    }
    *far = (struct nd__far){.kind = &kind, .port = &nd_port_lwip_raw, .port_ctx = &peer.port};
    memcpy(far->device_ip, device_ip, sizeof far->device_ip);
    memcpy(far->mask, network_mask, sizeof far->mask);
    memcpy(far->gateway, peer_ip, sizeof far->gateway);
    memcpy(far->ip, peer_ip, sizeof far->ip);
    return ND_OK;
}

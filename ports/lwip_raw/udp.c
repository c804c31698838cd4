/* SPDX-License-Identifier: BSD-3-Clause */
/* udp.c - datagram sockets: a ring of received pbufs, and sending by copy or by reference. */
#include "udp.h"

#include <stddef.h>
#include <string.h>

#include "lwip/ip.h"
#include "lwip/netif.h"
#include "lwip/pbuf.h"
#include "lwip/udp.h"

#if LWIP_UDP

/* Most payload of a datagram over IPv4 without options [byte]. */
#define DATAGRAM_BYTES (65535u - IP_HLEN - UDP_HLEN)

_Static_assert(ND_CFG_LWIP_RAW_DATAGRAMS >= 1 && ND_CFG_LWIP_RAW_DATAGRAMS <= 255,
               "ND_CFG_LWIP_RAW_DATAGRAMS: 1..255");

/* The place n behind the oldest datagram. */
static struct nd_lwip_raw_datagram *place(struct nd_lwip_raw_udp *udp, unsigned n) {
    unsigned at = udp->first + n;

    return &udp->ring[at < ND_CFG_LWIP_RAW_DATAGRAMS ? at : at - ND_CFG_LWIP_RAW_DATAGRAMS];
}

/* One more, or one fewer, waits: step() says so as long as there are any. */
static void count_datagrams(struct nd_lwip_raw *port, int32_t change) {
    port->datagrams += (uint32_t)change;
    if (port->datagrams > 0) {
        port->events |= ND_STEP_DATAGRAM;
    } else {
        port->events &= ~ND_STEP_DATAGRAM;
    }
}

/* lwIP calls: a datagram has come. Empty ones are no answer of udp_rx(), so they end here. */
static void on_datagram(void *arg, struct udp_pcb *pcb, struct pbuf *bytes, const ip_addr_t *ip,
                        u16_t port) {
    struct nd_lwip_raw_conn *conn = arg;
    struct nd_lwip_raw_udp *udp = &conn->udp;

    (void)pcb;
    if (bytes->tot_len == 0) {
        pbuf_free(bytes);
        return;
    }
    if (bytes->next != NULL) {
        bytes = pbuf_coalesce(bytes, PBUF_RAW);
    }
    if (udp->count == ND_CFG_LWIP_RAW_DATAGRAMS || bytes->next != NULL) {
        conn->port->datagrams_dropped++;
        pbuf_free(bytes);
        return;
    }
    *place(udp, udp->count) =
        (struct nd_lwip_raw_datagram){.bytes = bytes, .from = {.ip = *ip, .port = port}};
    udp->count++;
    count_datagrams(conn->port, 1);
}

int nd__lwip_raw_udp_open(void *ctx, const struct nd_addr *at, struct nd_conn **socket) {
    struct nd_lwip_raw_end local = {.port = at->port};
    struct nd_lwip_raw_conn *conn;
    struct udp_pcb *pcb;
    err_t err = ERR_MEM;

    if (!nd__lwip_raw_ip(at, &local.ip)) {
        return ND_E_ARG;
    }
    conn = nd__lwip_raw_take(ctx, ND__LWIP_RAW_UDP);
    if (conn == NULL) {
        return ND_E_FULL;
    }
    pcb = udp_new_ip_type(IP_GET_TYPE(&local.ip));
    if (pcb != NULL) {
        err = udp_bind(pcb, &local.ip, local.port);
    }
    if (err != ERR_OK) {
        if (pcb != NULL) {
            udp_remove(pcb);
        }
        conn->kind = ND__LWIP_RAW_FREE;
        return nd__lwip_raw_result(err);
    }
    local.port = pcb->local_port;
    conn->local = local;
    conn->udp.pcb = pcb;
    conn->tx_result = ND_E_STATE;
    udp_recv(pcb, on_datagram, conn);
    *socket = nd__lwip_raw_handle(conn);
    return ND_OK;
}

/* A pbuf that holds the bytes or, for static ones, points at them; NULL when memory ran out. */
static struct pbuf *datagram_of(const void *bytes, uint32_t len, unsigned flags) {
    struct pbuf *p;

    if ((flags & ND_TX_STATIC) != 0) {
        p = pbuf_alloc_reference(LWIP_CONST_CAST(void *, bytes), (u16_t)len, PBUF_ROM);
    } else {
        p = pbuf_alloc(PBUF_TRANSPORT, (u16_t)len, PBUF_RAM);
        if (p != NULL) {
            memcpy(p->payload, bytes, len);
        }
    }
    return p;
}

/* The longest payload that goes out here [byte]. */
static uint32_t most_bytes(const struct netif *netif) {
    if (IP_FRAG || netif->mtu == 0) {
        return DATAGRAM_BYTES;
    }
    return (uint32_t)netif->mtu - IP_HLEN - UDP_HLEN;
}

int32_t nd__lwip_raw_udp_tx(struct nd_conn *handle, const struct nd_addr *to, const void *bytes,
                            uint32_t len, unsigned flags) {
    struct nd_lwip_raw_conn *conn = nd__lwip_raw_conn(handle);
    struct netif *netif;
    struct pbuf *datagram;
    ip_addr_t ip;
    err_t err;

    if (to->family == 0 || !nd__lwip_raw_ip(to, &ip)) {
        return ND_E_ARG;
    }
    netif = ip_route(&conn->udp.pcb->local_ip, &ip);
    if (netif == NULL) {
        conn->cause = ERR_RTE;
        return ND_E_UNREACHABLE;
    }
    if (len > most_bytes(netif)) {
        return ND_E_ARG;
    }
    datagram = datagram_of(bytes, len, flags);
    if (datagram == NULL) {
        return ND_AGAIN;
    }
    err = udp_sendto_if(conn->udp.pcb, datagram, &ip, to->port, netif);
    pbuf_free(datagram);
    if (err == ERR_OK) {
        return (int32_t)len;
    }
    if (err == ERR_MEM || err == ERR_BUF) {
        return ND_AGAIN;
    }
    conn->cause = err;
    return nd__lwip_raw_result(err);
}

int32_t nd__lwip_raw_udp_rx(struct nd_conn *handle, struct nd_addr *from, const void **bytes) {
    struct nd_lwip_raw_udp *udp = &nd__lwip_raw_conn(handle)->udp;
    const struct nd_lwip_raw_datagram *oldest = place(udp, 0);

    if (udp->count == 0) {
        return ND_AGAIN;
    }
    *from = nd__lwip_raw_addr(&oldest->from);
    *bytes = oldest->bytes->payload;
    return oldest->bytes->len;
}

void nd__lwip_raw_udp_rx_done(struct nd_lwip_raw_conn *conn) {
    struct nd_lwip_raw_udp *udp = &conn->udp;

    pbuf_free(place(udp, 0)->bytes);
    udp->count--;
    count_datagrams(conn->port, -1);
    udp->first = (uint8_t)(udp->first + 1u < ND_CFG_LWIP_RAW_DATAGRAMS ? udp->first + 1u : 0u);
}

void nd__lwip_raw_udp_close(struct nd_lwip_raw_conn *conn) {
    while (conn->udp.count > 0) {
        nd__lwip_raw_udp_rx_done(conn);
    }
    udp_remove(conn->udp.pcb);
    conn->kind = ND__LWIP_RAW_FREE;
}

#endif

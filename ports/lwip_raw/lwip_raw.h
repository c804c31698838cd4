/* SPDX-License-Identifier: BSD-3-Clause */
/* lwip_raw.h - the port over lwIP's raw API, for a single-threaded lwIP (NO_SYS 1).
 *
 * The owner runs lwIP's input side: it hands received frames to the netif and calls
 * sys_check_timeouts(), in the same context that polls the agent. The port's step() only sends what
 * was held back. Several contexts may share the one lwIP of a program. */
#ifndef ND_LWIP_RAW_H
#define ND_LWIP_RAW_H

#include <stdbool.h>
#include <stdint.h>

#include "lwip/opt.h"

#include "lwip/err.h"
#include "lwip/ip_addr.h"

#include "nd/port.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pbuf;
struct tcp_pcb;
struct udp_pcb;

/* Received datagrams that wait in one socket, at most, 1..255; further ones are dropped and
 * counted. Costs 8 + sizeof(ip_addr_t) byte of RAM each, in every connection of the pool (on a
 * 32-bit machine, beyond the three that fit where a TCP connection keeps its own). */
#ifndef ND_CFG_LWIP_RAW_DATAGRAMS
#define ND_CFG_LWIP_RAW_DATAGRAMS 4
#endif

struct nd_lwip_raw;

/* An end of a connection, as info() prints it. */
struct nd_lwip_raw_end {
    ip_addr_t ip;
    uint16_t port; /* host order; 0 = not known yet */
};

/* A received datagram that waits. */
struct nd_lwip_raw_datagram {
    struct pbuf *bytes;
    struct nd_lwip_raw_end from;
};

/* What a TCP connection or a listener has beside the common part. */
struct nd_lwip_raw_tcp {
    struct tcp_pcb *pcb;     /* NULL when lwIP has freed it, or it lives on without us */
    struct tcp_pcb *closing; /* in state CLOSING: may be freed without a word, look it up first */
    struct pbuf *rx_first;   /* received and not yet consumed, linked by pbuf.next alone */
    struct pbuf *rx_last;
    struct nd_lwip_raw_conn *dirty_next;
    struct nd_lwip_raw_conn *waiting_first; /* listener: not yet accepted, oldest first */
    struct nd_lwip_raw_conn *waiting_last;
    struct nd_lwip_raw_conn *waiting_next; /* connection: the next that waits */
    uint32_t turned_away;                  /* listener: not yet told by accept() */
    uint16_t rx_used;                      /* consumed of rx_first [byte] */
    uint16_t rx_held;                      /* consumed and not yet credited to the window [byte] */
    bool dirty;                            /* in the context's dirty list */
    bool brim; /* the latest tx() found no room: the end of what is queued may wait */
};

/* What a datagram socket has beside the common part: a ring. */
struct nd_lwip_raw_udp {
    struct udp_pcb *pcb;
    struct nd_lwip_raw_datagram ring[ND_CFG_LWIP_RAW_DATAGRAMS];
    uint8_t first;
    uint8_t count;
};

/* One slot of the pool. Owner: the caller, who reads and writes none of it. */
struct nd_lwip_raw_conn {
    struct nd_lwip_raw *port;
    uint8_t kind;     /* 0 = free */
    int8_t status;    /* what status() answers */
    int8_t tx_result; /* what tx() answers instead of sending; ND_OK = it sends */
    int8_t rx_result; /* what rx() answers when nothing is left */
    err_t cause;      /* lwIP's own code behind the latest error */
    union {
        struct nd_lwip_raw_tcp tcp;
        struct nd_lwip_raw_udp udp;
    };
    struct nd_lwip_raw_end local;
    struct nd_lwip_raw_end peer;
};

/* The context of the port. Owner: the caller. */
struct nd_lwip_raw {
    struct nd_lwip_raw_conn *conns;
    uint32_t conn_count;
    unsigned events;                /* ND_STEP_* for the next step() */
    struct nd_lwip_raw_conn *dirty; /* connections with something held back */
    uint32_t waiting;               /* answers that accept() has ready, at all listeners */
    uint32_t datagrams;             /* received and not yet given back, in all sockets */
    uint32_t turned_away;           /* connections reset because the pool was full */
    uint32_t datagrams_dropped;     /* received and lost for want of room in a ring or of memory */
};

extern const struct nd_port nd_port_lwip_raw;

/* Make a context whose pool is conns[count]; both outlive every use. lwip_init() has been or will
 * be called by the owner. A slot serves one connection, listener or datagram socket; lwIP itself
 * needs MEMP_NUM_TCP_PCB, MEMP_NUM_TCP_PCB_LISTEN and MEMP_NUM_UDP_PCB to match. */
void nd_lwip_raw_init(struct nd_lwip_raw *port, struct nd_lwip_raw_conn *conns, uint32_t count);

#ifdef __cplusplus
}
#endif
#endif

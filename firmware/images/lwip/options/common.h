/* SPDX-License-Identifier: BSD-3-Clause */
/* lwIP as every board of this image has it. Sizes are in the board's own lwipopts.h, which
 * includes this file; names and meaning are lwIP's (lwip/opt.h). */
#ifndef ND_LWIP_COMMON_H
#define ND_LWIP_COMMON_H

/* One context, no operating system: the raw API in a main loop. */
#define NO_SYS               1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_NETCONN         0
#define LWIP_SOCKET          0

/* IPv4 over one Ethernet hop, so nothing is ever fragmented. */
#define LWIP_IPV4     1
#define LWIP_IPV6     0
#define LWIP_ETHERNET 1
#define LWIP_ARP      1
#define LWIP_ICMP     1
#define LWIP_UDP      1
#define LWIP_TCP      1
#define IP_REASSEMBLY 0
#define IP_FRAG       0
#define ETH_PAD_SIZE  0

/* The address comes from the simulator, or from a DHCP server when that gave none: only then is the
 * client's memory taken. It takes a UDP block of the board's. */
#define LWIP_DHCP                  1
#define LWIP_NETIF_STATUS_CALLBACK 1

/* Checksums are made and checked by the processor, in the loop that the build names: lwIP's default
 * in C unless another was asked for. Copies are the C library's, or ours. */
#ifndef ND_CFG_LWIP_CHECKSUM
#define ND_CFG_LWIP_CHECKSUM 0
#endif
#ifndef ND_CFG_LWIP_COPY
#define ND_CFG_LWIP_COPY 0
#endif
#include "nd/lwip_kernels.h"
#if !ND_CFG_LWIP_CHECKSUM && !defined(LWIP_CHKSUM_ALGORITHM)
#define LWIP_CHKSUM_ALGORITHM 2
#endif

#define TCP_MSS            1460
#define TCP_QUEUE_OOSEQ    1
#define TCP_LISTEN_BACKLOG 1

/* lwIP's own heap and pools, all static. A received frame fills one pool buffer, headers included,
 * so that it is contiguous. */
#define MEM_LIBC_MALLOC   0
#define MEMP_MEM_MALLOC   0
#define PBUF_POOL_BUFSIZE LWIP_MEM_ALIGN_SIZE(1514 + ETH_PAD_SIZE)

/* Counters: the agent reports them. LWIP_STATS_DISPLAY gives pools their names. */
#ifndef LWIP_STATS
#define LWIP_STATS 1
#endif
#if LWIP_STATS
#define LWIP_STATS_LARGE   1
#define LWIP_STATS_DISPLAY 1
#define MEM_STATS          1
#define MEMP_STATS         1
#endif

#endif

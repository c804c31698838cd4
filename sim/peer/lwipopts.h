/* SPDX-License-Identifier: BSD-3-Clause */
/* lwipopts.h - lwIP as the peer: never the bottleneck of a measurement.
 *
 * Windows are as large as they get without scaling, which small devices seldom speak; pools are far
 * larger than any window. It lives in the tool's own memory, so size costs nothing that counts. */
#ifndef ND_SIM_PEER_LWIPOPTS_H
#define ND_SIM_PEER_LWIPOPTS_H

/* One thread, polled, raw API only. */
#define NO_SYS               1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_NETCONN         0
#define LWIP_SOCKET          0
#define LWIP_STATS           0

/* Memory. */
#define MEM_ALIGNMENT           8
#define MEM_SIZE                (16 * 1024 * 1024)
#define MEMP_NUM_PBUF           4096
#define MEMP_NUM_TCP_PCB        256
#define MEMP_NUM_TCP_PCB_LISTEN 32
#define MEMP_NUM_TCP_SEG        16384
#define MEMP_NUM_UDP_PCB        32
#define MEMP_NUM_REASSDATA      64
#define MEMP_NUM_FRAG_PBUF      256
#define IP_REASS_MAX_PBUFS      256
#define PBUF_POOL_SIZE          4096
#define PBUF_POOL_BUFSIZE       1536 /* a whole frame in one pbuf */

/* TCP: 44 full segments each way. */
#define TCP_MSS            1460
#define TCP_WND            (44 * TCP_MSS)
#define TCP_SND_BUF        (44 * TCP_MSS)
#define TCP_SND_QUEUELEN   1024
#define TCP_LISTEN_BACKLOG 1
#define LWIP_WND_SCALE     0

/* The device is alone on the wire with us: its first frame resolves its address. */
#define ARP_QUEUEING          1
#define LWIP_ARP              1
#define LWIP_ETHERNET         1
#define LWIP_IPV4             1
#define LWIP_IPV6             0
#define LWIP_ICMP             1
#define LWIP_RAW              1
#define LWIP_UDP              1
#define LWIP_DHCP             0
#define LWIP_CHKSUM_ALGORITHM 3

/* Checked, unless the device leaves them to a controller that it does not have. */
#define LWIP_CHECKSUM_CTRL_PER_NETIF 1

#endif

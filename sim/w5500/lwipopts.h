/* SPDX-License-Identifier: BSD-3-Clause */
/* lwipopts.h - lwIP as the logic inside the chip: memory is never what limits it, since the chip's
 * own buffers do; windows are set per connection to the size of the socket's buffer. */
#ifndef ND_W5500_LWIPOPTS_H
#define ND_W5500_LWIPOPTS_H

#define NO_SYS               1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_NETCONN         0
#define LWIP_SOCKET          0
#define LWIP_STATS           0

#define MEM_ALIGNMENT      8
#define MEM_LIBC_MALLOC    1
#define MEMP_MEM_MALLOC    1
#define TCP_LISTEN_BACKLOG 1
#define SO_REUSE           1

/* No socket has more than the chip's 16 KiB. */
#define TCP_MSS          1460
#define TCP_WND          16384
#define TCP_SND_BUF      32768
#define TCP_SND_QUEUELEN 40000
#define MEMP_NUM_TCP_SEG 40000
#define LWIP_WND_SCALE   0

/* The chip's own retransmission counters end a connection, not these. */
#define TCP_MAXRTX    12
#define TCP_SYNMAXRTX 12

/* To set the window before the SYN is answered; the keepalive timer register. */
#define LWIP_TCP_PCB_NUM_EXT_ARGS 1
#define LWIP_TCP_KEEPALIVE        1

/* The SEND_MAC command brings its own address. */
#define ETHARP_SUPPORT_STATIC_ENTRIES 1
#define ARP_QUEUEING                  1
#define LWIP_ARP                      1
#define LWIP_ETHERNET                 1

/* The chip neither cuts nor joins IP datagrams. */
#define LWIP_IPV4             1
#define LWIP_IPV6             0
#define IP_FRAG               0
#define IP_REASSEMBLY         0
#define LWIP_ICMP             1
#define LWIP_RAW              1
#define LWIP_UDP              1
#define LWIP_DHCP             0
#define LWIP_CHKSUM_ALGORITHM 3

#endif

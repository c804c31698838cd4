/* SPDX-License-Identifier: BSD-3-Clause */
/* lwipopts.h - lwIP on the host, talking to itself, with memory to spare. */
#ifndef ND_CONTRACT_LWIPOPTS_H
#define ND_CONTRACT_LWIPOPTS_H

#define NO_SYS               1
#define SYS_LIGHTWEIGHT_PROT 0
#define LWIP_NETCONN         0
#define LWIP_SOCKET          0
#define MEM_ALIGNMENT        8

/* Both ends of every connection are in this one lwIP, on the interface of lwip_wire.c. */
#define LWIP_NETIF_LOOPBACK 0
#define LWIP_HAVE_LOOPIF    0

/* Room for a full pool of slots beside connections that wait out their end. */
#define MEMP_NUM_TCP_PCB        32
#define MEMP_NUM_TCP_PCB_LISTEN 16
#define MEMP_NUM_UDP_PCB        16
#define MEMP_NUM_SYS_TIMEOUT    16

#ifndef TCP_MSS
#define TCP_MSS          1460
#define TCP_WND          (8 * TCP_MSS)
#define TCP_SND_BUF      (8 * TCP_MSS)
#define MEM_SIZE         (512 * 1024)
#define MEMP_NUM_TCP_SEG 256
#define MEMP_NUM_PBUF    256
#define PBUF_POOL_SIZE   64
#endif

/* Closed connections are forgotten after two virtual seconds, so that a test can see it. */
#define TCP_MSL 1000UL

/* The rig counts what is in use. */
#define LWIP_STATS 1
#define MEM_STATS  1
#define MEMP_STATS 1

#endif

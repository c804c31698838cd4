/* SPDX-License-Identifier: BSD-3-Clause */
/* lwIP in 64 KiB of RAM, together with the agent. */
#ifndef ND_LWIPOPTS_H
#define ND_LWIPOPTS_H

#include "../common.h"

#define MEM_ALIGNMENT 4

#define TCP_WND            (4 * TCP_MSS)
#define TCP_SND_BUF        (5 * TCP_MSS)
#define TCP_SND_QUEUELEN   20
#define MEMP_NUM_TCP_SEG   32
#define MEMP_NUM_TCP_PCB   10
#define MEMP_NUM_PBUF      24
#define MEMP_NUM_UDP_PCB   9
#define MEMP_NUM_ARP_QUEUE 4

/* UDP: echo, discard, chargen, iperf, DHCP, and a test's streams. TCP: memtest, echo, discard,
 * chargen, iperf, iperf3, ttcp, and one to spare. */
#define MEMP_NUM_TCP_PCB_LISTEN 8

/* A full send buffer that was copied (5 segments of 1460 bytes in buffers of about 1540), and as
 * much again for headers, control segments and a second connection. */
#ifndef MEM_SIZE
#define MEM_SIZE (14 * 1024)
#endif

/* 4 posted receive descriptors, a full window of 4 segments that nobody has read yet, 2 for
 * frames of other connections. */
#define PBUF_POOL_SIZE 10

#endif

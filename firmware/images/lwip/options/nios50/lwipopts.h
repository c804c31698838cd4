/* SPDX-License-Identifier: BSD-3-Clause */
/* lwIP where memory does not limit, but the processor does. */
#ifndef ND_LWIPOPTS_H
#define ND_LWIPOPTS_H

#include "../common.h"

#define MEM_ALIGNMENT 4

#define TCP_WND                 (4 * TCP_MSS)
#define TCP_SND_BUF             (8 * TCP_MSS)
#define TCP_SND_QUEUELEN        32
#define MEMP_NUM_TCP_SEG        64
#define MEMP_NUM_TCP_PCB        16
#define MEMP_NUM_TCP_PCB_LISTEN 8
#define MEMP_NUM_UDP_PCB        12
#define MEMP_NUM_PBUF           64
#define MEM_SIZE                (64 * 1024)
#define PBUF_POOL_SIZE          32

#endif

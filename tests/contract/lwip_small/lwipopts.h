/* SPDX-License-Identifier: BSD-3-Clause */
/* lwipopts.h - the same with the memory of a board with 64 KiB: it runs out in every long test. */
#ifndef ND_CONTRACT_SMALL_LWIPOPTS_H
#define ND_CONTRACT_SMALL_LWIPOPTS_H

#define TCP_MSS          1460
#define TCP_WND          (4 * TCP_MSS)
#define TCP_SND_BUF      (4 * TCP_MSS)
#define MEM_SIZE         12000
#define PBUF_POOL_SIZE   12
#define MEMP_NUM_TCP_SEG 32
#define MEMP_NUM_PBUF    16

#include "../lwip/lwipopts.h"

#endif

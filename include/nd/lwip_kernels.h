/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/lwip_kernels.h - lwIP with the checksum and the copy of this project, in one line:
 *
 *     #include "nd/lwip_kernels.h"
 *
 * in your lwipopts.h, and nd_kernels at the end of the link. Of the agent nothing is needed.
 * lwIP 2.0 or newer. Do not define LWIP_CHKSUM_ALGORITHM beside it, or lwIP builds its own loop for
 * nobody.
 *
 * With LWIP_CHECKSUM_ON_COPY 1, tcp_write() copies and sums in one pass. SMEMCPY stays: lwIP uses
 * it for headers, which compilers copy without a call. Define ND_CFG_LWIP_CHECKSUM or
 * ND_CFG_LWIP_COPY as 0 to leave one of them as it was. */
#ifndef ND_LWIP_KERNELS_H
#define ND_LWIP_KERNELS_H

#include "nd/checksum.h"
#include "nd/copy.h"

#ifndef ND_CFG_LWIP_CHECKSUM
#define ND_CFG_LWIP_CHECKSUM 1
#endif
#ifndef ND_CFG_LWIP_COPY
#define ND_CFG_LWIP_COPY 1
#endif

/* lwIP's sum is in memory order and not inverted, as ours (lwip/inet_chksum.h). Where
 * LWIP_CHKSUM_COPY is defined, LWIP_CHKSUM_COPY_ALGORITHM is 0 by itself. */
#if ND_CFG_LWIP_CHECKSUM
#define LWIP_CHKSUM(bytes, len)         nd_checksum((bytes), (size_t)(len))
#define LWIP_CHKSUM_COPY(dst, src, len) nd_copy_checksum((dst), (src), (size_t)(len))
#endif

#if ND_CFG_LWIP_COPY
#define MEMCPY(dst, src, len) nd_copy((dst), (src), (size_t)(len))
#endif

#endif

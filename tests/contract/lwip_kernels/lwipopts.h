/* SPDX-License-Identifier: BSD-3-Clause */
/* lwipopts.h - the same with this project's checksum and copy, which lwIP checks against its own
 * sums wherever it put some together. */
#ifndef ND_CONTRACT_KERNELS_LWIPOPTS_H
#define ND_CONTRACT_KERNELS_LWIPOPTS_H

#include "nd/lwip_kernels.h"

#define LWIP_CHECKSUM_ON_COPY             1
#define TCP_CHECKSUM_ON_COPY_SANITY_CHECK 1
#define TCP_CHECKSUM_ON_COPY_SANITY_CHECK_FAIL(msg)                                                \
    LWIP_ASSERT("a sum that was put together is right", 0)

#include "../lwip/lwipopts.h"

#endif

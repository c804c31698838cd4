/* SPDX-License-Identifier: BSD-3-Clause */
/* others.h - what our kernels are compared with: the C library's memcpy() and lwIP's checksums. */
#ifndef ND_KERNELS_OTHERS_H
#define ND_KERNELS_OTHERS_H

#include "nd/kernels.h"

/* The rows of this build; *count gets their number. */
const struct nd_kernel *nd_kernel_others(unsigned *count);

#endif

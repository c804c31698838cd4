/* SPDX-License-Identifier: BSD-3-Clause */
/* As on the lpc1768, with the alignment of a 64-bit host. Elements that hold pointers are larger
 * here: sizes in bytes do not compare with the board's. */
#ifndef ND_LWIPOPTS_NATIVE_H
#define ND_LWIPOPTS_NATIVE_H

#include "../lpc1768/lwipopts.h"

#undef MEM_ALIGNMENT
#define MEM_ALIGNMENT 8

#endif

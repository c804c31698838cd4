/* SPDX-License-Identifier: BSD-3-Clause */
/* core.h - which kernels this processor executes. */
#ifndef ND_KERNELS_CORE_H
#define ND_KERNELS_CORE_H

/* What the M profile calls ARMv6-M, and the ARMv7-M that contains it. Other processors of Arm have
 * what C makes of it. */
#if defined(__ARM_ARCH_PROFILE) && __ARM_ARCH_PROFILE == 'M' && !defined(__ARMEB__)
#define ND__ARMV6M 1
#define ND__ARMV7M (__ARM_ARCH_ISA_THUMB >= 2)
#else
#define ND__ARMV6M 0
#define ND__ARMV7M 0
#endif

#if defined(__x86_64__)
#define ND__X86_64 1
#else
#define ND__X86_64 0
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* arch/cc.h - what lwIP asks of the compiler and of the program it is linked into.
 *
 * For a single-threaded lwIP (NO_SYS 1). A program that links lwIP supplies three functions:
 * sys_now(), which lwip/sys.h declares (time since start [ms]), and the two below. */
#ifndef ND_LWIP_ARCH_CC_H
#define ND_LWIP_ARCH_CC_H

#ifdef __cplusplus
extern "C" {
#endif

/* The next random number: initial sequence and port numbers come from it. */
unsigned nd_lwip_random(void);

/* lwIP found itself, or the calls made to it, inconsistent. Must not return. */
__attribute__((noreturn)) void nd_lwip_assert_failed(const char *text, const char *file, int line);

#ifdef __cplusplus
}
#endif

#define LWIP_RAND()             nd_lwip_random()
#define LWIP_PLATFORM_ASSERT(x) nd_lwip_assert_failed((x), __FILE__, __LINE__)

/* Diagnostics go nowhere: no printf on the device. */
#define LWIP_PLATFORM_DIAG(x) ((void)0)

/* lwIP takes a machine for little-endian unless told; both compilers have an instruction to swap.
 */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define lwip_htons(x) __builtin_bswap16(x)
#define lwip_htonl(x) __builtin_bswap32(x)
#elif !defined(BYTE_ORDER)
#define BYTE_ORDER BIG_ENDIAN
#endif

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#include "others.h"

#include <string.h>

/* lwIP's own loops, LWIP_CHKSUM_ALGORITHM 1 to 3, each under a name of its own. */
uint16_t nd__lwip_checksum_1(const void *bytes, int len);
uint16_t nd__lwip_checksum_2(const void *bytes, int len);
uint16_t nd__lwip_checksum_3(const void *bytes, int len);

static uint16_t lwip_1(const void *bytes, size_t len) {
    return nd__lwip_checksum_1(bytes, (int)len);
}

static uint16_t lwip_2(const void *bytes, size_t len) {
    return nd__lwip_checksum_2(bytes, (int)len);
}

static uint16_t lwip_3(const void *bytes, size_t len) {
    return nd__lwip_checksum_3(bytes, (int)len);
}

#if ND_NEWLIB
/* memcpy() of newlib and of newlib-nano, taken from the toolchain's archives. */
void *nd__newlib_copy(void *dst, const void *src, size_t len);
void *nd__newlib_nano_copy(void *dst, const void *src, size_t len);
#endif

#if ND_WITH_PICOLIBC
void *nd__picolibc_copy(void *dst, const void *src, size_t len);
#endif

static const struct nd_kernel others[] = {
    {ND_KERNEL_CHECKSUM, "lwip-1", {.checksum = lwip_1}},
    {ND_KERNEL_CHECKSUM, "lwip-2", {.checksum = lwip_2}},
    {ND_KERNEL_CHECKSUM, "lwip-3", {.checksum = lwip_3}},
#if ND_NEWLIB
    {ND_KERNEL_COPY, "newlib", {.copy = nd__newlib_copy}},
    {ND_KERNEL_COPY, "newlib-nano", {.copy = nd__newlib_nano_copy}},
#else
    {ND_KERNEL_COPY, "libc", {.copy = memcpy}},
#endif
#if ND_WITH_PICOLIBC
    {ND_KERNEL_COPY, "picolibc", {.copy = nd__picolibc_copy}},
#endif
};

const struct nd_kernel *nd_kernel_others(unsigned *count) {
    *count = sizeof others / sizeof others[0];
    return others;
}

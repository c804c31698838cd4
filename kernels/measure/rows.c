/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/kernels.h"

#include "../checksum/rows.h"
#include "../copy/rows.h"
#include "core.h"
#include "nd/copy.h"

#define SUM(n, f)                                                                                  \
    { .kind = ND_KERNEL_CHECKSUM, .name = n, .call.checksum = f }
#define COPY(n, f)                                                                                 \
    { .kind = ND_KERNEL_COPY, .name = n, .call.copy = f }
#define BOTH(n, f)                                                                                 \
    { .kind = ND_KERNEL_COPY_CHECKSUM, .name = n, .call.copy_checksum = f }

static const struct nd_kernel kernels[] = {
    SUM("ref", nd__checksum_ref),
    SUM("c32", nd__checksum_c32),
    SUM("c64", nd__checksum_c64),
#if ND__ARMV6M
    SUM("armv6m", nd__checksum_armv6m),
#endif
#if ND__ARMV7M
    SUM("armv7m", nd__checksum_armv7m),
#endif
#if ND__X86_64
    SUM("sse2", nd__checksum_sse2),
#endif
    COPY("ref", nd__copy_ref),
    COPY("c", nd__copy_c),
#if ND__ARMV6M
    COPY("armv6m", nd__copy_armv6m),
#endif
#if ND__ARMV7M
    COPY("armv7m", nd__copy_armv7m),
#endif
    BOTH("ref", nd__copy_checksum_ref),
    BOTH("c", nd__copy_checksum_c),
#if ND__ARMV7M
    BOTH("armv7m", nd__copy_checksum_armv7m),
#endif
    {ND_KERNEL_FIFO_WRITE16, "rolled", {.fifo_write16 = nd__fifo_write16_rolled}},
    {ND_KERNEL_FIFO_WRITE16, "unrolled", {.fifo_write16 = nd_fifo_write16}},
    {ND_KERNEL_FIFO_WRITE32, "rolled", {.fifo_write32 = nd__fifo_write32_rolled}},
    {ND_KERNEL_FIFO_WRITE32, "unrolled", {.fifo_write32 = nd_fifo_write32}},
    {ND_KERNEL_FIFO_READ16, "rolled", {.fifo_read16 = nd__fifo_read16_rolled}},
    {ND_KERNEL_FIFO_READ16, "unrolled", {.fifo_read16 = nd_fifo_read16}},
    {ND_KERNEL_FIFO_READ32, "rolled", {.fifo_read32 = nd__fifo_read32_rolled}},
    {ND_KERNEL_FIFO_READ32, "unrolled", {.fifo_read32 = nd_fifo_read32}},
#if ND__X86_64
    SUM("avx2", nd__checksum_avx2), /* the last: not every processor has it */
#endif
};

const struct nd_kernel *nd_kernels(unsigned *count) {
    *count = sizeof kernels / sizeof kernels[0];
#if ND__X86_64
    if (!__builtin_cpu_supports("avx2")) {
        *count -= 1;
    }
#endif
    return kernels;
}

const char *nd_kernel_kind_name(enum nd_kernel_kind kind) {
    static const char *const names[] = {
        [ND_KERNEL_CHECKSUM] = "checksum",           [ND_KERNEL_COPY] = "copy",
        [ND_KERNEL_COPY_CHECKSUM] = "copy-checksum", [ND_KERNEL_FIFO_WRITE16] = "fifo-write16",
        [ND_KERNEL_FIFO_WRITE32] = "fifo-write32",   [ND_KERNEL_FIFO_READ16] = "fifo-read16",
        [ND_KERNEL_FIFO_READ32] = "fifo-read32",
    };

    return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The fastest kernel of this processor. */
#include "core.h"
#include "nd/checksum.h"
#include "rows.h"

uint16_t nd_checksum(const void *bytes, size_t len) {
#if ND__ARMV7M
    return nd__checksum_armv7m(bytes, len);
#elif ND__ARMV6M
    return nd__checksum_armv6m(bytes, len);
#elif ND__X86_64
    return __builtin_cpu_supports("avx2") ? nd__checksum_avx2(bytes, len)
                                          : nd__checksum_sse2(bytes, len);
#else
    return nd__checksum_c64(bytes, len);
#endif
}

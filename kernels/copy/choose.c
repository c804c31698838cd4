/* SPDX-License-Identifier: BSD-3-Clause */
/* The fastest kernel of this processor. */
#include "core.h"
#include "nd/copy.h"
#include "rows.h"

void *nd_copy(void *dst, const void *src, size_t len) {
#if ND__ARMV7M
    return nd__copy_armv7m(dst, src, len);
#elif ND__ARMV6M
    return nd__copy_armv6m(dst, src, len);
#elif ND__X86_64
    /* The C library knows the processor better. */
    return __builtin_memcpy(dst, src, len);
#else
    return nd__copy_c(dst, src, len);
#endif
}

uint16_t nd_copy_checksum(void *dst, const void *src, size_t len) {
#if ND__ARMV7M
    return nd__copy_checksum_armv7m(dst, src, len);
#else
    return nd__copy_checksum_c(dst, src, len);
#endif
}

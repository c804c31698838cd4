/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.h - the checksum kernels. Each is nd_checksum(); which of them are built depends on the
 * processor. */
#ifndef ND_KERNELS_CHECKSUM_ROWS_H
#define ND_KERNELS_CHECKSUM_ROWS_H

#include <stddef.h>
#include <stdint.h>

uint16_t nd__checksum_ref(const void *bytes, size_t len);
uint16_t nd__checksum_c32(const void *bytes, size_t len);
uint16_t nd__checksum_c64(const void *bytes, size_t len);
uint16_t nd__checksum_armv6m(const void *bytes, size_t len);
uint16_t nd__checksum_armv7m(const void *bytes, size_t len);
uint16_t nd__checksum_sse2(const void *bytes, size_t len);
uint16_t nd__checksum_avx2(const void *bytes, size_t len); /* where the processor has AVX2 */

#endif

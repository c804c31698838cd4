/* SPDX-License-Identifier: BSD-3-Clause */
/* lwip_macros.h - the probes that lwIP's own macros allow. To be included in front of each of
 * lwIP's sources by the compiler's -include; lwIP itself and its options stay as they are, but for
 * one thing: LWIP_CHKSUM_ALGORITHM must be set there, or lwIP leaves its checksum out. */
#ifndef ND_LWIP_MACROS_H
#define ND_LWIP_MACROS_H

/* Before memset becomes a macro. */
#include <string.h>

unsigned short nd_lwip_probe_checksum(const void *bytes, int len);
void *nd_lwip_probe_memcpy(void *to, const void *from, size_t len);
void *nd_lwip_probe_memset(void *to, int byte, size_t len);

#define LWIP_CHKSUM           nd_lwip_probe_checksum
#define MEMCPY(to, from, len) nd_lwip_probe_memcpy(to, from, len)
#undef memset
#define memset(to, byte, len) nd_lwip_probe_memset(to, byte, len)

#endif

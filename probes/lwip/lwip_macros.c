/* SPDX-License-Identifier: BSD-3-Clause */
#include "lwip_macros.h"

/* Here the plain one is called. */
#undef memset

#include "lwip_timing.h"

/* lwIP's own, which it builds with external linkage and declares nowhere. */
unsigned short lwip_standard_chksum(const void *bytes, int len);

ND_TIMING_CODE unsigned short nd_lwip_probe_checksum(const void *bytes, int len) {
    nd_timing_enter(&nd_lwip_timing);
    unsigned short sum = lwip_standard_chksum(bytes, len);
    nd_timing_leave(&nd_lwip_timing, &nd_lwip_timing.rows[ND_LWIP_CHECKSUM]);
    return sum;
}

ND_TIMING_CODE void *nd_lwip_probe_memcpy(void *to, const void *from, size_t len) {
    nd_timing_enter(&nd_lwip_timing);
    memcpy(to, from, len);
    nd_timing_leave(&nd_lwip_timing, &nd_lwip_timing.rows[ND_LWIP_NET_MEMCPY]);
    return to;
}

ND_TIMING_CODE void *nd_lwip_probe_memset(void *to, int byte, size_t len) {
    nd_timing_enter(&nd_lwip_timing);
    memset(to, byte, len);
    nd_timing_leave(&nd_lwip_timing, &nd_lwip_timing.rows[ND_LWIP_NET_MEMSET]);
    return to;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/picotcp_kernels.h - picoTCP with the checksum and the copy of this project.
 *
 *     #include "nd/picotcp_kernels.h"
 *
 * at the end of your pico_port.h (PICO_PORT_CUSTOM), for the copy. picoTCP has no macro for its
 * checksum, so the linker replaces it, in the files that call it:
 *
 *     -Wl,--wrap=pico_checksum,--wrap=pico_dualbuffer_checksum ... -lpicotcp -lnd_kernels
 *
 * picoTCP must not be compiled with -flto for that. Of a library that comes compiled, the linker
 * turns all copies of the program: -Wl,--wrap=memcpy,--defsym=__wrap_memcpy=nd_copy. Of the agent
 * nothing is needed. */
#ifndef ND_PICOTCP_KERNELS_H
#define ND_PICOTCP_KERNELS_H

#include <string.h>

#include "nd/copy.h"

#ifdef __cplusplus
extern "C" {
#endif

#undef memcpy
#define memcpy(dst, src, len) nd_copy((dst), (src), (len))

/* In place of pico_checksum(): the checksum, inverted, its first byte on the wire as the higher one
 * of the value. */
uint16_t __wrap_pico_checksum(const void *bytes, uint32_t len);

/* In place of pico_dualbuffer_checksum(): of a header and what follows it. */
uint16_t __wrap_pico_dualbuffer_checksum(const void *first, uint32_t first_len, const void *second,
                                         uint32_t second_len);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/checksum.h - the Internet checksum (RFC 1071), as fast as this processor has it.
 *
 * Stands alone: needs nothing of the agent, nor of any stack. Link nd_kernels.
 *
 * A sum here is the 16-bit one's complement sum of the bytes, taken as 16-bit words in the order in
 * which they lie in memory; an odd last byte is followed by a zero. It is not inverted. Written to
 * memory as a uint16_t, inverted, it is the checksum of the bytes on the wire, whatever the byte
 * order of the processor. A sum is 0 only when every byte is 0. Any address and any length will do,
 * no byte outside is used, and no call fails. Any context. */
#ifndef ND_CHECKSUM_H
#define ND_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The sum of bytes[0 .. len). */
uint16_t nd_checksum(const void *bytes, size_t len);

/* The sum of two pieces that follow each other, from the sum of each. first_len: length of the
 * first piece [byte]; only whether it is odd matters. */
uint16_t nd_checksum_combine(uint16_t first, size_t first_len, uint16_t second);

/* A checksum field after a 16-bit word under it changed (RFC 1624, equation 3). All three as they
 * lie in memory. The same as computed anew, unless all bytes are 0 then: a header has others. */
uint16_t nd_checksum_update(uint16_t field, uint16_t before, uint16_t after);

/* The same for a 32-bit word at an even place, such as an IPv4 address. */
uint16_t nd_checksum_update32(uint16_t field, uint32_t before, uint32_t after);

#ifdef __cplusplus
}
#endif
#endif

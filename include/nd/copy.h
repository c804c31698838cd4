/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/copy.h - copying as fast as this processor has it: to memory, to memory with a checksum, to
 * and from the data register of a controller without DMA.
 *
 * Stands alone: needs nothing of the agent, nor of any stack. Link nd_kernels. No call fails. Any
 * context. */
#ifndef ND_COPY_H
#define ND_COPY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Copy src[0 .. len) to dst, which does not overlap it; returns dst. Any two addresses, any length.
 * Memory is accessed in aligned words where there are any, so neither may be a device's register;
 * aligned words that hold the first and last byte of src may be read whole. */
void *nd_copy(void *dst, const void *src, size_t len);

/* Copy as nd_copy() and return the sum of the bytes, as nd_checksum() has it, in one pass. */
uint16_t nd_copy_checksum(void *dst, const void *src, size_t len);

/* Move `count` words between memory (any address) and a data register, which stays at its address:
 * the FIFO of an Ethernet controller that has no DMA, such as the SMSC LAN91C111. Each word is
 * accessed once, at its full width, in the order of memory. */
void nd_fifo_write16(volatile uint16_t *fifo, const void *src, size_t count);
void nd_fifo_write32(volatile uint32_t *fifo, const void *src, size_t count);
void nd_fifo_read16(void *dst, const volatile uint16_t *fifo, size_t count);
void nd_fifo_read32(void *dst, const volatile uint32_t *fifo, size_t count);

#ifdef __cplusplus
}
#endif
#endif

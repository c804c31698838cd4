/* SPDX-License-Identifier: BSD-3-Clause */
/* rows.h - the copy kernels, as nd/copy.h describes them. Which of them are built depends on the
 * processor. */
#ifndef ND_KERNELS_COPY_ROWS_H
#define ND_KERNELS_COPY_ROWS_H

#include <stddef.h>
#include <stdint.h>

void *nd__copy_ref(void *dst, const void *src, size_t len);
void *nd__copy_c(void *dst, const void *src, size_t len);
void *nd__copy_armv6m(void *dst, const void *src, size_t len);
void *nd__copy_armv7m(void *dst, const void *src, size_t len);

uint16_t nd__copy_checksum_ref(void *dst, const void *src, size_t len);
uint16_t nd__copy_checksum_c(void *dst, const void *src, size_t len);
uint16_t nd__copy_checksum_armv7m(void *dst, const void *src, size_t len);

/* One word at a time; those of nd/copy.h take eight. */
void nd__fifo_write16_rolled(volatile uint16_t *fifo, const void *src, size_t count);
void nd__fifo_write32_rolled(volatile uint32_t *fifo, const void *src, size_t count);
void nd__fifo_read16_rolled(void *dst, const volatile uint16_t *fifo, size_t count);
void nd__fifo_read32_rolled(void *dst, const volatile uint32_t *fifo, size_t count);

#endif

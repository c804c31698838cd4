/* SPDX-License-Identifier: BSD-3-Clause */
/* fifo_watch.h - the kernels' way to a data register, in a test that sees each access. */
#ifndef ND_FIFO_WATCH_H
#define ND_FIFO_WATCH_H

#include <stdint.h>

void fifo_watch_put(const volatile void *fifo, uint32_t word);
uint32_t fifo_watch_take(const volatile void *fifo);

#define ND__FIFO_PUT(fifo, word) fifo_watch_put((fifo), (word))
#define ND__FIFO_TAKE(fifo)      ((__typeof__(*(fifo)))fifo_watch_take((fifo)))

#endif

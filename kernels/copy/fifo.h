/* SPDX-License-Identifier: BSD-3-Clause */
/* fifo.h - one access to a controller's data register. A test has its own, to see each of them. */
#ifndef ND_KERNELS_FIFO_H
#define ND_KERNELS_FIFO_H

#ifdef ND__FIFO_TEST
#include ND__FIFO_TEST
#else
#define ND__FIFO_PUT(fifo, word) (*(fifo) = (word))
#define ND__FIFO_TAKE(fifo)      (*(fifo))
#endif

#endif

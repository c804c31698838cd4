/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory to and from a register of 32 bits that stays where it is: by the word, and by eight. Four
 * loads stand together and then four stores, which processors with a pipeline for loads like. */
#include "fifo.h"
#include "load.h"
#include "nd/copy.h"
#include "rows.h"

enum { BYTES = 4, ROW = 8 };

void nd__fifo_write32_rolled(volatile uint32_t *fifo, const void *src, size_t count) {
    const uint8_t *from = src;

    for (; count > 0; count--, from += BYTES) {
        ND__FIFO_PUT(fifo, nd__load32(from));
    }
}

void nd__fifo_read32_rolled(void *dst, const volatile uint32_t *fifo, size_t count) {
    uint8_t *to = dst;

    for (; count > 0; count--, to += BYTES) {
        nd__store32(to, ND__FIFO_TAKE(fifo));
    }
}

static inline void put_four(volatile uint32_t *fifo, const uint8_t *from) {
    uint32_t a = nd__load32(from);
    uint32_t b = nd__load32(from + BYTES);
    uint32_t c = nd__load32(from + 2 * BYTES);
    uint32_t d = nd__load32(from + 3 * BYTES);

    ND__FIFO_PUT(fifo, a);
    ND__FIFO_PUT(fifo, b);
    ND__FIFO_PUT(fifo, c);
    ND__FIFO_PUT(fifo, d);
}

void nd_fifo_write32(volatile uint32_t *fifo, const void *src, size_t count) {
    const uint8_t *from = src;

    for (; count >= ROW; count -= ROW, from += ROW * BYTES) {
        put_four(fifo, from);
        put_four(fifo, from + 4 * BYTES);
    }
    nd__fifo_write32_rolled(fifo, from, count);
}

static inline void take_four(uint8_t *to, const volatile uint32_t *fifo) {
    uint32_t a = ND__FIFO_TAKE(fifo);
    uint32_t b = ND__FIFO_TAKE(fifo);
    uint32_t c = ND__FIFO_TAKE(fifo);
    uint32_t d = ND__FIFO_TAKE(fifo);

    nd__store32(to, a);
    nd__store32(to + BYTES, b);
    nd__store32(to + 2 * BYTES, c);
    nd__store32(to + 3 * BYTES, d);
}

void nd_fifo_read32(void *dst, const volatile uint32_t *fifo, size_t count) {
    uint8_t *to = dst;

    for (; count >= ROW; count -= ROW, to += ROW * BYTES) {
        take_four(to, fifo);
        take_four(to + 4 * BYTES, fifo);
    }
    nd__fifo_read32_rolled(to, fifo, count);
}

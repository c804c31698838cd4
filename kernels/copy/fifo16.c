/* SPDX-License-Identifier: BSD-3-Clause */
/* Memory to and from a register of 16 bits that stays where it is: by the word, and by eight. Four
 * loads stand together and then four stores, which processors with a pipeline for loads like. */
#include "fifo.h"
#include "load.h"
#include "nd/copy.h"
#include "rows.h"

enum { BYTES = 2, ROW = 8 };

void nd__fifo_write16_rolled(volatile uint16_t *fifo, const void *src, size_t count) {
    const uint8_t *from = src;

    for (; count > 0; count--, from += BYTES) {
        ND__FIFO_PUT(fifo, nd__load16(from));
    }
}

void nd__fifo_read16_rolled(void *dst, const volatile uint16_t *fifo, size_t count) {
    uint8_t *to = dst;

    for (; count > 0; count--, to += BYTES) {
        nd__store16(to, ND__FIFO_TAKE(fifo));
    }
}

static inline void put_four(volatile uint16_t *fifo, const uint8_t *from) {
    uint16_t a = nd__load16(from);
    uint16_t b = nd__load16(from + BYTES);
    uint16_t c = nd__load16(from + 2 * BYTES);
    uint16_t d = nd__load16(from + 3 * BYTES);

    ND__FIFO_PUT(fifo, a);
    ND__FIFO_PUT(fifo, b);
    ND__FIFO_PUT(fifo, c);
    ND__FIFO_PUT(fifo, d);
}

void nd_fifo_write16(volatile uint16_t *fifo, const void *src, size_t count) {
    const uint8_t *from = src;

    for (; count >= ROW; count -= ROW, from += ROW * BYTES) {
        put_four(fifo, from);
        put_four(fifo, from + 4 * BYTES);
    }
    nd__fifo_write16_rolled(fifo, from, count);
}

static inline void take_four(uint8_t *to, const volatile uint16_t *fifo) {
    uint16_t a = ND__FIFO_TAKE(fifo);
    uint16_t b = ND__FIFO_TAKE(fifo);
    uint16_t c = ND__FIFO_TAKE(fifo);
    uint16_t d = ND__FIFO_TAKE(fifo);

    nd__store16(to, a);
    nd__store16(to + BYTES, b);
    nd__store16(to + 2 * BYTES, c);
    nd__store16(to + 3 * BYTES, d);
}

void nd_fifo_read16(void *dst, const volatile uint16_t *fifo, size_t count) {
    uint8_t *to = dst;

    for (; count >= ROW; count -= ROW, to += ROW * BYTES) {
        take_four(to, fifo);
        take_four(to + 4 * BYTES, fifo);
    }
    nd__fifo_read16_rolled(to, fifo, count);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* What a clock is read around: calls through a pointer, of a kernel or of nothing. */
#include "place.h"

static uint16_t no_checksum(const void *bytes, size_t len) {
    (void)bytes;
    (void)len;
    return 0;
}

static void *no_copy(void *dst, const void *src, size_t len) {
    (void)src;
    (void)len;
    return dst;
}

static uint16_t no_copy_checksum(void *dst, const void *src, size_t len) {
    (void)dst;
    (void)src;
    (void)len;
    return 0;
}

static void no_write16(volatile uint16_t *fifo, const void *src, size_t count) {
    (void)fifo;
    (void)src;
    (void)count;
}

static void no_write32(volatile uint32_t *fifo, const void *src, size_t count) {
    (void)fifo;
    (void)src;
    (void)count;
}

static void no_read16(void *dst, const volatile uint16_t *fifo, size_t count) {
    (void)dst;
    (void)fifo;
    (void)count;
}

static void no_read32(void *dst, const volatile uint32_t *fifo, size_t count) {
    (void)dst;
    (void)fifo;
    (void)count;
}

static const struct nd_kernel nothing[] = {
    [ND_KERNEL_CHECKSUM] = {.call.checksum = no_checksum},
    [ND_KERNEL_COPY] = {.call.copy = no_copy},
    [ND_KERNEL_COPY_CHECKSUM] = {.call.copy_checksum = no_copy_checksum},
    [ND_KERNEL_FIFO_WRITE16] = {.call.fifo_write16 = no_write16},
    [ND_KERNEL_FIFO_WRITE32] = {.call.fifo_write32 = no_write32},
    [ND_KERNEL_FIFO_READ16] = {.call.fifo_read16 = no_read16},
    [ND_KERNEL_FIFO_READ32] = {.call.fifo_read32 = no_read32},
};

#define REPEAT(call)                                                                               \
    for (; calls > 0; calls--) {                                                                   \
        call;                                                                                      \
    }                                                                                              \
    break

void nd_kernel_call(enum nd_kernel_kind kind, const struct nd_kernel *kernel,
                    struct nd_kernel_room *room, const struct nd_kernel_case *at, uint32_t calls) {
    const struct nd_kernel *it = kernel != NULL ? kernel : &nothing[kind];
    const uint8_t *src = nd__place_src(room, 0, at);
    uint8_t *dst = nd__place_dst(room, at);
    size_t len = at->len;

    switch (kind) {
    case ND_KERNEL_CHECKSUM:
        REPEAT(it->call.checksum(src, len));
    case ND_KERNEL_COPY:
        REPEAT(it->call.copy(dst, src, len));
    case ND_KERNEL_COPY_CHECKSUM:
        REPEAT(it->call.copy_checksum(dst, src, len));
    case ND_KERNEL_FIFO_WRITE16:
        REPEAT(it->call.fifo_write16(&room->fifo.word16, src, len / 2));
    case ND_KERNEL_FIFO_WRITE32:
        REPEAT(it->call.fifo_write32(&room->fifo.word32, src, len / 4));
    case ND_KERNEL_FIFO_READ16:
        REPEAT(it->call.fifo_read16(dst, &room->fifo.word16, len / 2));
    case ND_KERNEL_FIFO_READ32:
        REPEAT(it->call.fifo_read32(dst, &room->fifo.word32, len / 4));
    }
}

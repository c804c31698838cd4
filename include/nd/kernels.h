/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/kernels.h - every checksum and copy kernel of this build, to be proved and timed.
 *
 * Whoever only wants the fastest ones takes nd/checksum.h and nd/copy.h. Freestanding; no kernel
 * keeps anything between calls. */
#ifndef ND_KERNELS_H
#define ND_KERNELS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum nd_kernel_kind {
    ND_KERNEL_CHECKSUM = 1,
    ND_KERNEL_COPY,
    ND_KERNEL_COPY_CHECKSUM,
    ND_KERNEL_FIFO_WRITE16,
    ND_KERNEL_FIFO_WRITE32,
    ND_KERNEL_FIFO_READ16,
    ND_KERNEL_FIFO_READ32
};

/* A routine. Rows of ours are static; others, such as a C library's memcpy, are their owner's. */
struct nd_kernel {
    enum nd_kernel_kind kind;
    const char *name; /* of this way to do it: "ref", "armv7m" */
    union {
        uint16_t (*checksum)(const void *bytes, size_t len);
        void *(*copy)(void *dst, const void *src, size_t len);
        uint16_t (*copy_checksum)(void *dst, const void *src, size_t len);
        void (*fifo_write16)(volatile uint16_t *fifo, const void *src, size_t count);
        void (*fifo_write32)(volatile uint32_t *fifo, const void *src, size_t count);
        void (*fifo_read16)(void *dst, const volatile uint16_t *fifo, size_t count);
        void (*fifo_read32)(void *dst, const volatile uint32_t *fifo, size_t count);
    } call;
};

/* "checksum", "copy", "copy-checksum", "fifo-write16" ...; NULL when kind is none of them. */
const char *nd_kernel_kind_name(enum nd_kernel_kind kind);

/* The kernels that this processor executes, kind by kind, the reference first. *count gets their
 * number. */
const struct nd_kernel *nd_kernels(unsigned *count);

/* Longest piece, and addresses of it modulo so much [byte]. */
#define ND_KERNEL_BYTES  4096u
#define ND_KERNEL_ALIGNS 8u

/* A buffer: the longest piece at any address, and a margin that must stay as it is. */
#define ND_KERNEL_MARGIN       16u
#define ND_KERNEL_BUFFER_BYTES (ND_KERNEL_BYTES + ND_KERNEL_ALIGNS + 2 * ND_KERNEL_MARGIN)

/* Where kernels are tried. Owner: the caller. */
struct nd_kernel_room {
    uint64_t src[2][ND_KERNEL_BUFFER_BYTES / 8]; /* random bytes, and their complement */
    uint64_t dst[ND_KERNEL_BUFFER_BYTES / 8];
    union {
        volatile uint16_t word16;
        volatile uint32_t word32;
    } fifo; /* a data register that is memory */
};

/* How a kernel is called. */
struct nd_kernel_case {
    unsigned src_align; /* addresses modulo ND_KERNEL_ALIGNS */
    unsigned dst_align;
    size_t len; /* [byte]; of a FIFO, what does not fill a word is left out */
};

/* Fill the room; the same seed gives the same bytes. */
void nd_kernel_room_fill(struct nd_kernel_room *room, uint32_t seed);

/* The same with all ones and all zeros: carries everywhere, and none. */
void nd_kernel_room_fill_ones(struct nd_kernel_room *room);

/* Compare a kernel with the reference, for every length from 0 to at->len: what it answers, each
 * byte that it stores, and the margin around them; of a FIFO only the last word, the others are
 * gone. Returns the first length that is wrong, or -1. */
int32_t nd_kernel_prove(const struct nd_kernel *kernel, struct nd_kernel_room *room,
                        const struct nd_kernel_case *at);

/* The same for one length. */
int32_t nd_kernel_prove_one(const struct nd_kernel *kernel, struct nd_kernel_room *room,
                            const struct nd_kernel_case *at);

/* Call a kernel so many times in a row: what a clock is read around. kernel NULL: a routine of the
 * kind that returns at once, for what the calling itself costs. */
void nd_kernel_call(enum nd_kernel_kind kind, const struct nd_kernel *kernel,
                    struct nd_kernel_room *room, const struct nd_kernel_case *at, uint32_t calls);

#ifdef __cplusplus
}
#endif
#endif

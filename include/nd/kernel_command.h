/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/kernel_command.h - the console command `kernels`: proves and times a device's kernels
 * (nd/kernels.h), one case at a time, as `netdyno kernels` asks for them.
 *
 *   kernels                                      lists them by number
 *   kernels prove NUMBER SRC DST BYTES           every length up to this one, of random bytes; and
 *                                                if SRC is 0, of all ones
 *   kernels time NUMBER SRC DST BYTES CALLS      this length, after its proof
 *
 * SRC and DST are addresses modulo 8. It is not in an agent unless its owner adds it. */
#ifndef ND_KERNEL_COMMAND_H
#define ND_KERNEL_COMMAND_H

#include "nd/clock.h"
#include "nd/console.h"
#include "nd/kernels.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Owner: the caller; stays in place while the console lives. */
struct nd_kernel_bench {
    struct nd_kernel_room *room;
    const struct nd_kernel *others; /* beside nd_kernels(), such as the C library's memcpy() */
    unsigned other_count;
    const struct nd_clock *clock; /* of now(): kind and rate */
    uint64_t (*now)(void *ctx);   /* time or work since some start [ticks] */
    void *ctx;
};

/* Make the command. */
void nd_kernel_command(struct nd_command *command, struct nd_kernel_bench *bench);

/* Ticks of `calls` calls in a row, of a processor that has just made one: the difference of two
 * series, less what calling nothing takes. */
uint64_t nd_kernel_time(const struct nd_kernel_bench *bench, const struct nd_kernel *kernel,
                        const struct nd_kernel_case *at, uint32_t calls);

#ifdef __cplusplus
}
#endif
#endif

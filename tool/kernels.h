/* SPDX-License-Identifier: BSD-3-Clause */
/* kernels.h - where `netdyno kernels` has routines proved and timed: a device with the console
 * command of that name (kernels_device.c), or this process (kernels_host.c). */
#ifndef ND_TOOL_KERNELS_H
#define ND_TOOL_KERNELS_H

#include <jansson.h>

#include "nd/kernels.h"
#include "target.h"

/* Routines of a target, at most. */
#define KERNELS_ROWS 64

/* A routine: "checksum" "armv7m". */
struct kernels_row {
    char what[16];
    char name[16];
    bool ours; /* else it is there to be compared with */
};

/* What a routine took. */
struct kernels_time {
    uint64_t ticks;
    uint64_t calls;
};

struct kernels;

/* A kind of place. All answer ND_OK, or an error with kernels->target.error. *wrong: the first
 * length for which the routine differs from the reference, or -1. */
struct kernels_place {
    int (*prove)(struct kernels *kernels, unsigned row, const struct nd_kernel_case *at,
                 int32_t *wrong);
    /* Proves this length first; *time is set only when it is right. */
    int (*time)(struct kernels *kernels, unsigned row, const struct nd_kernel_case *at,
                struct kernels_time *time, int32_t *wrong);
    void (*close)(struct kernels *kernels);
};

/* An open place. Fields are for reading. */
struct kernels {
    const struct kernels_place *place;
    void *state;
    struct target target; /* of a device */
    struct kernels_row rows[KERNELS_ROWS];
    unsigned count;
    const char *tick; /* "cycle", "instruction", "time" */
    uint64_t hz;      /* ticks in a second */
};

/* Open this process. ND_OK or ND_E_MEMORY. */
int kernels_open_host(struct kernels *kernels);

/* Open a device. ND_OK; ND_E_ARG when the target was refused; or another error. */
int kernels_open_device(struct kernels *kernels, const struct target_cfg *cfg);

/* Enter what the device says of itself and the run. */
void kernels_describe(struct kernels *kernels, const struct target_cfg *cfg, json_t *result);

#endif

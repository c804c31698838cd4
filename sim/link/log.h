/* SPDX-License-Identifier: BSD-3-Clause */
/* log.h - the frames that passed the device's socket in a while, with their times and heads. */
#ifndef ND_SIM_LOG_H
#define ND_SIM_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "link/frames.h"
#include "trace.h"

/* Owner: the caller. All zero is empty and off, and triggered. */
struct nd__log {
    uint32_t trigger_bytes; /* a frame of so many or more is looked for */
    uint64_t trigger_ns;    /* when the first one ended [ns]; UINT64_MAX = none yet */
    bool on;
    bool no_memory; /* a frame could not be kept */
    struct nd_sim_frame *frames;
    size_t count;
    size_t room;
};

/* Where and when a frame passed. */
struct nd__log_pass {
    uint64_t begin_ns; /* its first bit [ns] */
    uint64_t end_ns;   /* its last bit [ns] */
    bool to_device;
    bool lost;
};

/* Look at it, and keep it when the log is on. */
void nd__log_put(struct nd__log *log, const struct nd__frame *frame,
                 const struct nd__log_pass *pass);

/* Free what it holds; it is empty and off. */
void nd__log_close(struct nd__log *log);

#endif

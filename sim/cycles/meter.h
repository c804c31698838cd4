/* SPDX-License-Identifier: BSD-3-Clause */
/* meter.h - the simulator's end of the cycle counter: the memory that it shares with the plugin. */
#ifndef ND_CYCLES_METER_H
#define ND_CYCLES_METER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cycles/page.h"
#include "nd/lockstep.h"
#include "sim.h"

/* Owner: the caller. */
struct nd__meter {
    int fd;                /* of the memory, for the child to open; -1 = no meter */
    int window_fd;         /* of the window, likewise */
    struct nd__page *page; /* NULL = no meter */
    size_t bytes;          /* of the memory */
    uint64_t taken;        /* marks */
    uint64_t latest;       /* cycles at the last of them */
};

/* No meter. */
void nd__meter_init(struct nd__meter *meter);

/* Make the memory; calls are followed if cfg has functions. 0 or an errno. */
int nd__meter_open(struct nd__meter *meter, const struct nd_sim_cfg *cfg);

/* The plugin counts. */
bool nd__meter_ready(const struct nd__meter *meter);

/* The next record of the device came: cycles since the one before, in *spent. False when it made no
 * mark. */
bool nd__meter_take(struct nd__meter *meter, uint64_t *spent);

/* While the device waits for an answer: its code lies in such flash from now on. */
void nd__meter_flash(struct nd__meter *meter, const struct nd_lockstep_hello *hello);

/* While the device waits for an answer: end the profile's period at its next record. It is written
 * when nd__meter_turned(). */
void nd__meter_turn(struct nd__meter *meter);
bool nd__meter_turned(const struct nd__meter *meter);

/* While the device waits for an answer: record its changes of function from its next record on, or
 * end the record there. It is complete when nd__meter_taped(). */
void nd__meter_tape(struct nd__meter *meter, bool wanted);
bool nd__meter_taped(const struct nd__meter *meter);

void nd__meter_close(struct nd__meter *meter);

#endif

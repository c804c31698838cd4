/* SPDX-License-Identifier: BSD-3-Clause */
/* meter.h - the simulator's end of the cycle counter: the memory that it shares with the plugin. */
#ifndef ND_CYCLES_METER_H
#define ND_CYCLES_METER_H

#include <stdbool.h>
#include <stdint.h>

#include "cycles/page.h"
#include "nd/lockstep.h"

/* Owner: the caller. */
struct nd__meter {
    int fd;                /* of the memory, for the child to open; -1 = no meter */
    struct nd__page *page; /* NULL = no meter */
    uint64_t taken;        /* marks */
    uint64_t latest;       /* cycles at the last of them */
};

/* No meter. */
void nd__meter_init(struct nd__meter *meter);

/* Make the memory; calls are followed if there are functions. 0 or an errno. */
int nd__meter_open(struct nd__meter *meter, const struct nd_sim_function *functions,
                   uint32_t function_count);

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

void nd__meter_close(struct nd__meter *meter);

#endif

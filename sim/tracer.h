/* SPDX-License-Identifier: BSD-3-Clause */
/* tracer.h - gathers a trace: the plugin's tape, the waits at its marks, the frames. */
#ifndef ND_SIM_TRACER_H
#define ND_SIM_TRACER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cycles/meter.h"
#include "link/link.h"
#include "trace.h"

enum nd__tracer_state {
    ND__TRACER_OFF,
    ND__TRACER_ARMED,  /* the window is to come */
    ND__TRACER_ON,     /* it is recorded */
    ND__TRACER_ENDING, /* at the device's next record it is over */
    ND__TRACER_DONE
};

/* Owner: the caller. All zero is off. */
struct nd__tracer {
    enum nd__tracer_state state;
    struct nd__log log; /* of frames */
    struct nd_sim_wait *waits;
    size_t wait_room;
    struct nd_sim_window window;
    struct nd_sim_trace trace;
};

/* Ask for a window, or end it now; false if it has not begun. */
void nd__tracer_ask(struct nd__tracer *tracer, const struct nd_sim_window *window, uint64_t now_ns);
bool nd__tracer_end(struct nd__tracer *tracer, uint64_t now_ns);

/* A record is answered at this time, after the device waited so long for it; now_ticks is its time.
 * False without memory. */
bool nd__tracer_answer(struct nd__tracer *tracer, struct nd__meter *meter, uint64_t now_ns,
                       uint64_t now_ticks, uint32_t waited_ticks);

/* The trace, if it is complete by now; else NULL. */
const struct nd_sim_trace *nd__tracer_take(struct nd__tracer *tracer, const struct nd__meter *meter,
                                           struct nd__link *link);

void nd__tracer_close(struct nd__tracer *tracer);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_lanes.h - a simulation's trace as a timeline.
 *
 * Three scopes. `cpu`: the layer in which the processor is, or idle; exactly one is high at any
 * time. `call`: a layer from its entry to its return, with everything that it calls, as port bits
 * set and cleared in the firmware would show. `wire`: frames at the device's socket. */
#ifndef ND_TOOL_TRACE_LANES_H
#define ND_TOOL_TRACE_LANES_H

#include "layers.h"
#include "symbols.h"
#include "timeline.h"
#include "trace.h"

/* What a trace is made of. Borrowed; the timeline borrows their texts. */
struct trace_lanes {
    const struct nd_sim_trace *trace;
    const struct symbols *symbols;
    const struct layers *layers;
    uint32_t hz; /* of the ticks */
};

/* Make the timeline, sorted; *begin_ns: virtual time of its begin. NULL, or why not (static). */
const char *trace_lanes_make(const struct trace_lanes *lanes, struct timeline *timeline,
                             uint64_t *begin_ns);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* trace.h - what a simulated board did in a window of its time, change by change.
 *
 * Recorded outside the firmware, which takes no cycle more for it. The processor's changes of
 * function are stamped with its cycles, which stand still while the device waits; the waits tell by
 * how much its time went on meanwhile:
 *
 *   time of a change [ticks] = cycles + idle_ticks + waits at the marks in front of it */
#ifndef ND_SIM_TRACE_H
#define ND_SIM_TRACE_H

#include <stdbool.h>
#include <stdint.h>

/* Depth that says: no change, the device made a record. */
#define ND_SIM_MARK UINT32_MAX

/* First bytes that are kept of a frame: Ethernet, IPv4 and TCP headers without options, and more.
 */
#define ND_SIM_HEAD_BYTES 64u

/* What to record. */
struct nd_sim_window {
    /* It opens at the end of the first frame of so many bytes or more at the device's socket, in
     * either direction; 0: now. */
    uint32_t trigger_bytes;
    uint64_t after_ns;    /* and so much later */
    uint64_t duration_ns; /* closes so long after it opened */
};

/* From here on the processor is in this function. The first changes of a trace, all of the same
 * cycle, are the calls that were open, the outermost first. */
struct nd_sim_change {
    uint64_t cycles;
    uint32_t function; /* index plus 1; 0 = none of the table. Of a mark: its number, low word */
    uint32_t depth;    /* of the call; or ND_SIM_MARK */
};

/* The device waited for the answer to a record. */
struct nd_sim_wait {
    uint64_t mark; /* number of the record */
    uint64_t ticks;
};

/* A frame on the wire, at the device's socket. */
struct nd_sim_frame {
    uint64_t begin_ns; /* first bit of the preamble [ns] */
    uint64_t end_ns;   /* last bit of the FCS [ns] */
    uint32_t bytes;    /* without FCS */
    bool to_device;
    bool lost; /* it found no descriptor in the device's ring */
    uint8_t head[ND_SIM_HEAD_BYTES];
};

/* A window. The first and the last change are marks at its ends or a little later. */
struct nd_sim_trace {
    uint64_t trigger_ns; /* when it was triggered [ns of virtual time] */
    uint64_t to_ns;      /* when it closed, as it was asked for, or earlier by nd_sim_end_trace() */
    uint64_t idle_ticks; /* waits before the first change */
    const struct nd_sim_change *changes;
    uint32_t change_count;
    uint32_t lost; /* changes for which there was no room */
    const struct nd_sim_wait *waits;
    uint32_t wait_count;
    const struct nd_sim_frame *frames; /* in the order in which they ended */
    uint32_t frame_count;
};

#endif

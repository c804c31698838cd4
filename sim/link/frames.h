/* SPDX-License-Identifier: BSD-3-Clause */
/* frames.h - a first-in first-out row of Ethernet frames.
 *
 * Frames are copied into slots that are reused, so a run allocates only while the row grows to
 * its longest. */
#ifndef ND_SIM_FRAMES_H
#define ND_SIM_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nd/lockstep.h"

struct nd__frame {
    uint64_t leave_ns;  /* its last bit has left the sender [ns] */
    uint64_t arrive_ns; /* its last bit has reached the receiver [ns] */
    uint32_t bytes;     /* length without FCS [byte] */
    uint8_t data[ND_LOCKSTEP_FRAME_BYTES];
};

/* Owner: the caller. All zero is an empty row. */
struct nd__frames {
    struct nd__frame *slots; /* `size` of them, a power of two */
    size_t size;
    size_t first;
    size_t count;
};

/* Room for one more frame at the end; its fields are the caller's to fill. NULL: no memory. Earlier
 * pointers into the row are invalid afterwards. */
struct nd__frame *nd__frames_push(struct nd__frames *frames);

/* Frame number index from the front, index below count. */
struct nd__frame *nd__frames_at(const struct nd__frames *frames, size_t index);

/* Take the first frame out; count is above 0. */
void nd__frames_pop(struct nd__frames *frames);

/* Free the slots; the row is empty and usable again. */
void nd__frames_free(struct nd__frames *frames);

#endif

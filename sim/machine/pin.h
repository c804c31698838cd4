/* SPDX-License-Identifier: BSD-3-Clause */
/* pin.h - keep this thread, and the children it starts, on one processor.
 *
 * Lockstep lets one side run at a time. On one processor the other side is woken without a word to
 * another core: ten virtual seconds at 100 Mbit/s took 2.0 s of wall time pinned, and 5 to 8 s
 * unpinned with other work about. It changes speed only; a failure to pin is no failure. */
#ifndef ND_SIM_PIN_H
#define ND_SIM_PIN_H

#include <stdbool.h>
#include <stddef.h>

/* Owner: the caller. All zero is not pinned. */
struct nd__pin {
    bool pinned;
    unsigned char before[128]; /* the thread's processors until then: room for 1024 */
};

/* Stay on the processor that this thread runs on now. */
void nd__pin_set(struct nd__pin *pin);

/* Let this thread use its former processors again. */
void nd__pin_release(struct nd__pin *pin);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* pin.h - let this thread and the children it starts take turns on one processor.
 *
 * Lockstep lets one side run at a time. On one processor the other side is woken without a word to
 * another core: ten virtual seconds at 100 Mbit/s took 2 to 3 s of wall time so, and 5 to 8 s
 * without, with other work about. As batch work (SCHED_BATCH) a side that is woken also waits until
 * the other has nothing to do, instead of interrupting it at each of its writes: half the switches.
 * It changes speed only; a failure is no failure. */
#ifndef ND_SIM_PIN_H
#define ND_SIM_PIN_H

#include <stdbool.h>
#include <stddef.h>

/* Owner: the caller. All zero is not pinned. */
struct nd__pin {
    bool pinned;
    bool batch;                /* was an ordinary thread, is a batch one */
    unsigned char before[128]; /* the thread's processors until then: room for 1024 */
};

/* Stay on the processor that this thread runs on now; as batch work, if speed is all that counts.
 * In real time it is not: batch work is also woken late. */
void nd__pin_set(struct nd__pin *pin, bool batch);

/* Let this thread use its former processors again. */
void nd__pin_release(struct nd__pin *pin);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* core/memtest.h - what the two sides of the memory test share. */
#ifndef ND__MEMTEST_H
#define ND__MEMTEST_H

#include "nd/memtest.h"

/* Enter the next phase, or the end: report the one that is over, forget its counts. */
void nd__memtest_next(struct nd_memtest_run *run);

/* End for this reason: report the phase as far as it came, close, leave. */
void nd__memtest_stop(struct nd_session *session, int why);

/* Ready a run for its first phase. */
void nd__memtest_begin(struct nd_memtest_run *run, uint64_t bytes, uint64_t now);

/* Send what is left of the phase, in writes of one message. Returns the port's answer. */
int32_t nd__memtest_send(struct nd_memtest_run *run);

/* What `done` leaves of the phase, at most UINT32_MAX [byte]. */
uint32_t nd__memtest_left(const struct nd_memtest_run *run, uint64_t done);

#endif

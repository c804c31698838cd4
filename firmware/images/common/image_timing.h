/* SPDX-License-Identifier: BSD-3-Clause */
/* image_timing.h - the timing table and the leak check, in the image that was built for them. In
 * any other image these calls are nothing at all, so that its code and its figures stay as they
 * are. */
#ifndef ND_IMAGE_TIMING_H
#define ND_IMAGE_TIMING_H

#include "nd/agent.h"
#include "nd/console.h"

#ifndef ND_IMAGE_TIMING
#define ND_IMAGE_TIMING 0
#endif

#if ND_IMAGE_TIMING

/* Try the probes, and add the commands timing, heap and leaks. */
void nd_image_timing_start(struct nd_agent *agent, struct nd_console *console);

/* Once in every turn of the main loop. */
void nd_image_timing_work(void);

#else

static inline void nd_image_timing_start(struct nd_agent *agent, struct nd_console *console) {
    (void)agent, (void)console;
}

static inline void nd_image_timing_work(void) {
}

#endif
#endif

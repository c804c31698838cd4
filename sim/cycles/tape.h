/* SPDX-License-Identifier: BSD-3-Clause */
/* tape.h - the plugin's record of every change of function, while one is asked for. It lies in the
 * shared memory behind the page, and what does not fit is counted. */
#ifndef ND_CYCLES_TAPE_H
#define ND_CYCLES_TAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "calls.h"
#include "page.h"

/* Owner: the caller. All zero records nothing. */
struct nd__tape {
    struct nd__page *page;
    bool on;
};

/* At a mark of this number: begin or end the record, as the simulator wants. */
void nd__tape_mark(struct nd__tape *tape, const struct nd__calls *calls, uint32_t number,
                   uint64_t now);

/* The processor went to another function, and calls know. */
void nd__tape_change(struct nd__tape *tape, const struct nd__calls *calls, uint64_t now);

#endif

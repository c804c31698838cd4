/* SPDX-License-Identifier: BSD-3-Clause */
/* bus.h - what a step cost on the bus of the device's network controller, where it has one: a
 * device whose configuration has "spi_hz", and which has the command "bus". */
#ifndef ND_TOOL_BUS_H
#define ND_TOOL_BUS_H

#include <stdbool.h>
#include <stdint.h>

#include "rig.h"

/* Owner: the caller, one for a run; all zero at its begin. */
struct bus {
    bool known;
    uint64_t selects; /* when the present step began */
    uint64_t bytes;
    uint64_t ns;
    uint64_t at_ns;
    size_t first_step; /* of the document, that the present step may enter */
};

/* A step of the plan begins. */
void bus_begin(struct bus *bus, struct rig *rig);

/* It has ended: enter its cost into the document. */
void bus_end(struct bus *bus, struct rig *rig);

#endif

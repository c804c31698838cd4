/* SPDX-License-Identifier: BSD-3-Clause */
/* sink.h - a receiver at this end that a device is asked to send to over TCP. */
#ifndef ND_TOOL_SINK_H
#define ND_TOOL_SINK_H

#include <jansson.h>

#include "rig.h"

/* What both ends say of one test. */
struct sink_outcome {
    const struct rig_report *ours;
    struct measure_span sent; /* as the device says */
    json_t *theirs;           /* the device's report; owned by the caller, NULL = none */
};

/* Listen, and let the device run a command that ends in the address to send to, as `format` (a
 * %s in its place) says; wait for both ends' reports, of the device's `engine`. ND_OK only when
 * both ended well and have the same count of bytes; else the line is in rig->target.error. */
int sink_receive(struct rig *rig, const char *engine, const char *command,
                 struct sink_outcome *outcome);

#endif

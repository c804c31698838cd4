/* SPDX-License-Identifier: BSD-3-Clause */
/* sink.h - a receiver at this end that a device is asked to send to. */
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

/* Listen, let the device run a command, to which the address to send to is added, and wait for both
 * ends' reports, of the device's `engine`. ND_OK only when both ended well and, over TCP, have the
 * same count of bytes; else the line is in rig->target.error. Over UDP the device sends as ttcp
 * does, with marks. */
int sink_receive_tcp(struct rig *rig, const char *engine, const char *command,
                     struct sink_outcome *outcome);
int sink_receive_udp(struct rig *rig, const char *engine, const char *command,
                     struct sink_outcome *outcome);

/* The same of a device that sends datagrams without marks: what arrives is only counted, in
 * *received, until as many are there as the device sent, or a moment has passed. outcome->ours is
 * NULL. */
int sink_count_udp(struct rig *rig, const char *engine, const char *command,
                   struct sink_outcome *outcome, struct measure_span *received);

#endif

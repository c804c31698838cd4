/* SPDX-License-Identifier: BSD-3-Clause */
/* render_stream.h - the part of the dyno sheet on chunks that the device makes. */
#ifndef ND_TOOL_RENDER_STREAM_H
#define ND_TOOL_RENDER_STREAM_H

#include <jansson.h>
#include <stdio.h>

/* Nothing when no step is of that kind. */
void render_stream(const json_t *steps, FILE *out);

#endif

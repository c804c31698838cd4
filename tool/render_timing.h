/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ND_TOOL_RENDER_TIMING_H
#define ND_TOOL_RENDER_TIMING_H

#include <jansson.h>
#include <stdio.h>

/* Print timing_describe()'s table; nothing when it is NULL. */
void render_timing(const json_t *timing, FILE *out);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_result.h - a trace as a part of a result document: the pulses of every signal. */
#ifndef ND_TOOL_TRACE_RESULT_H
#define ND_TOOL_TRACE_RESULT_H

#include <jansson.h>

#include "timeline.h"
#include "vcd_reader.h"
#include "waves.h"

/* Of our own trace; NULL without memory. docs/results.md has the keys. The caller owns it. */
json_t *trace_describe(const struct timeline *timeline, const struct waves *waves);

/* Of a file. */
json_t *trace_describe_vcd(const struct vcd *vcd);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_keep.h - what becomes of a timeline: its pulses go into the document, its slices into
 * files.
 */
#ifndef ND_TOOL_TRACE_KEEP_H
#define ND_TOOL_TRACE_KEEP_H

#include <jansson.h>
#include <stdbool.h>

#include "opt.h"
#include "timeline.h"

/* Whether every file has a name that tells its form; else after a usage error. */
bool trace_names_ok(const struct opt_list *output);

/* Enter the pulses into the result as "trace", and write every file; about: what they show, one
 * line. The timeline is sorted. enum say_exit; an error line was said. */
int trace_keep(const struct timeline *timeline, const char *about, const struct opt_list *output,
               json_t *result);

#endif

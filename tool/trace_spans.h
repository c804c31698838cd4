/* SPDX-License-Identifier: BSD-3-Clause */
/* trace_spans.h - the marks that a device's console printed (nd/span.h) as a timeline.
 *
 * Two scopes: `span`, from a begin to its end, and `task`, which of them runs. What began before
 * the record is there from its first event on, what did not end until its last. */
#ifndef ND_TOOL_TRACE_SPANS_H
#define ND_TOOL_TRACE_SPANS_H

#include <jansson.h>

#include "timeline.h"

/* Make the timeline, sorted, from the lines of the command `spans`; it borrows texts of them, to
 * which names are added where the device has none. NULL, or why not (static). */
const char *trace_spans_make(json_t *lines, struct timeline *timeline);

#endif

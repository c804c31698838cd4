/* SPDX-License-Identifier: BSD-3-Clause */
/* chrome_writer.h - a timeline in the JSON of Chrome's trace viewer, which Perfetto reads, too.
 *
 * The form is "Trace Event Format" of the Chromium project: complete events ("X") that nest in a
 * thread, and metadata ("M") with names. A scope is a process, a signal a thread. */
#ifndef ND_TOOL_CHROME_WRITER_H
#define ND_TOOL_CHROME_WRITER_H

#include "timeline.h"

/* Write it; the timeline is sorted. about: what it shows, one line. 0, or -1 after an error line.
 */
int chrome_write(const struct timeline *timeline, const char *about, const char *path);

#endif

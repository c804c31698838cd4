/* SPDX-License-Identifier: BSD-3-Clause */
/* vcd_writer.h - a timeline as a value change dump of IEEE 1364, for GTKWave, PulseView and others.
 */
#ifndef ND_TOOL_VCD_WRITER_H
#define ND_TOOL_VCD_WRITER_H

#include "timeline.h"
#include "waves.h"

/* Write it: a wire per signal, in one scope, because not every reader keeps scopes; a time unit is
 * 1 ns. about: what it shows, one line. 0, or -1 after an error line. */
int vcd_write(const struct timeline *timeline, const struct waves *waves, const char *about,
              const char *path);

#endif

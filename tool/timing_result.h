/* SPDX-License-Identifier: BSD-3-Clause */
/* timing_result.h - a firmware's own timing table, beside what was counted outside of it. */
#ifndef ND_TOOL_TIMING_RESULT_H
#define ND_TOOL_TIMING_RESULT_H

#include <jansson.h>

#include "profile_result.h"
#include "rig.h"

/* Let the device forget what its table has. False when it has none: a firmware without one is left
 * alone, so that its figures are those of any other run. */
bool timing_forget(struct rig *rig, const struct symbols *symbols);

/* The table, each row with what the profile knows of the same calls; docs/results.md has the keys.
 * NULL with rig->target.error when the device does not answer. The caller owns it. */
json_t *timing_describe(struct rig *rig, const struct profile *profile);

#endif

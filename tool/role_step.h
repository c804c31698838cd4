/* SPDX-License-Identifier: BSD-3-Clause */
/* role_step.h - a report of an engine of ours as a step of the document. */
#ifndef ND_TOOL_ROLE_STEP_H
#define ND_TOOL_ROLE_STEP_H

#include "role.h"

/* A new step named after the report's engine and phase, with all that the report has. The caller
 * adds it to the document. */
json_t *role_step(const struct role *role, const struct nd_report *report);

/* The same for an interval of a test that began at `begin` [ticks]. */
json_t *role_interval(const struct role *role, const struct nd_report *report, uint64_t begin);

/* The figures of datagrams: "datagrams" of a step. */
json_t *role_datagrams(const struct nd_sequence *figures);

#endif

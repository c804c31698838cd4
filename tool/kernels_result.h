/* SPDX-License-Identifier: BSD-3-Clause */
/* kernels_result.h - the part `kernels` of a result document: figures, and what follows from them.
 */
#ifndef ND_TOOL_KERNELS_RESULT_H
#define ND_TOOL_KERNELS_RESULT_H

#include <jansson.h>
#include <stdbool.h>

#include "kernels.h"

/* What routines are compared at: a full segment on an Ethernet [byte]. */
#define KERNELS_SEGMENT_BYTES 1460

/* Enter what a routine took. */
void kernels_add_case(const struct kernels *kernels, json_t *routine,
                      const struct nd_kernel_case *at, const struct kernels_time *time);

/* The key of a figure per byte, which names the unit, and the unit as text. */
const char *kernels_unit_key(const json_t *object);
const char *kernels_unit_word(const json_t *object);

/* Of a routine: the figure per byte of this length where both addresses are aligned, or the largest
 * of all addresses. Negative when there is none. */
double kernels_figure(const json_t *routine, const char *key, int bytes, bool worst);

/* Add "verdicts": what the figures say, a sentence each. */
void kernels_judge(json_t *object);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* matrix_front.h - which cells of a matrix are worth a choice. */
#ifndef ND_TOOL_MATRIX_FRONT_H
#define ND_TOOL_MATRIX_FRONT_H

#include <jansson.h>

/* Enter "work_per_byte", the sum over a cell's steps, and "frontier" into every cell that is ok:
 * true when no other is at least as good in work per byte, flash and RAM and better in one of them.
 */
void matrix_front_mark(json_t *cells);

#endif

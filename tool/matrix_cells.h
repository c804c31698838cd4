/* SPDX-License-Identifier: BSD-3-Clause */
/* matrix_cells.h - builds and runs the cells of a matrix, several at once, each in a process of its
 * own, so that one that fails leaves the others. */
#ifndef ND_TOOL_MATRIX_CELLS_H
#define ND_TOOL_MATRIX_CELLS_H

#include <jansson.h>

#include "matrix_grid.h"

/* What all cells share. Every text is the caller's. */
struct matrix_cells {
    const struct matrix_grid *grid;
    const char *target; /* as typed: "sim:lwip@lpc1768" */
    const char *image;
    const char *board;
    const char *plan;
    const struct opt_list *with; /* options that do not vary */
    const struct opt_list *set;  /* settings of the runs */
    const char *source;
    const char *cache;
    unsigned jobs; /* processes at once */
};

/* Measure them all, in any order, and answer an array in the order of the cells, one object each:
 * "options", "status", "reason", "flash_bytes", "ram_bytes", "steps". NULL after an error line. The
 * caller owns it. */
json_t *matrix_cells_measure(const struct matrix_cells *cells);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* matrix_grid.h - every combination of the options that vary. */
#ifndef ND_TOOL_MATRIX_GRID_H
#define ND_TOOL_MATRIX_GRID_H

#include <stdbool.h>
#include <stddef.h>

#include "opt.h"

/* Options that vary, values of one of them, and cells, at most. */
#define MATRIX_AXES   8
#define MATRIX_VALUES 16
#define MATRIX_CELLS  256

/* One option and its values, in the order given. */
struct matrix_axis {
    char *text; /* owned; key and values point into it */
    const char *key;
    const char *values[MATRIX_VALUES];
    unsigned count;
};

struct matrix_grid {
    struct matrix_axis axes[MATRIX_AXES];
    unsigned count;
    unsigned cells; /* the product of the axes' counts */
};

/* Read "KEY=VALUE,VALUE..." texts. False after a usage error of `command`. */
bool matrix_grid_read(struct matrix_grid *grid, const char *command, const struct opt_list *texts);

/* The value of an axis in a cell; the last axis varies fastest. */
const char *matrix_grid_value(const struct matrix_grid *grid, unsigned cell, unsigned axis);

void matrix_grid_free(struct matrix_grid *grid);

#endif

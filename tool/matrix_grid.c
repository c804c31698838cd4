/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix_grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image_build.h"
#include "say.h"

/* Cut the text at its commas. False when there is no value, an empty one, or too many. */
static bool cut_values(struct matrix_axis *axis, char *values) {
    char *rest = NULL;

    if (values[0] == ',' || strstr(values, ",,") != NULL) {
        return false;
    }
    for (char *at = strtok_r(values, ",", &rest); at != NULL; at = strtok_r(NULL, ",", &rest)) {
        if (axis->count == MATRIX_VALUES) {
            return false;
        }
        axis->values[axis->count++] = at;
    }
    return axis->count > 0;
}

static bool check_values(const struct matrix_axis *axis, const char *command) {
    char option[256];

    for (unsigned i = 0; i < axis->count; i++) {
        const char *wrong;

        snprintf(option, sizeof option, "%s=%s", axis->key, axis->values[i]);
        wrong = image_build_check(option);
        if (wrong != NULL) {
            say_usage(command, "--vary %s: %s", option, wrong);
            return false;
        }
    }
    return true;
}

static bool read_axis(struct matrix_axis *axis, const char *command, const char *text) {
    char *equals;

    axis->text = strdup(text);
    equals = axis->text != NULL ? strchr(axis->text, '=') : NULL;
    if (equals == NULL) {
        say_usage(command, "--vary %s: expected KEY=VALUE,VALUE...", text);
        return false;
    }
    *equals = '\0';
    axis->key = axis->text;
    if (!cut_values(axis, equals + 1)) {
        say_usage(command, "--vary %s: expected KEY=VALUE,VALUE... with 1 to %d values", text,
                  MATRIX_VALUES);
        return false;
    }
    return check_values(axis, command);
}

static bool is_known(const struct matrix_grid *grid, const char *key) {
    for (unsigned i = 0; i < grid->count; i++) {
        if (strcmp(grid->axes[i].key, key) == 0) {
            return true;
        }
    }
    return false;
}

bool matrix_grid_read(struct matrix_grid *grid, const char *command, const struct opt_list *texts) {
    *grid = (struct matrix_grid){.cells = 1};
    if (texts->count == 0 || texts->count > MATRIX_AXES) {
        say_usage(command, "expected 1 to %d times --vary KEY=VALUE,VALUE...", MATRIX_AXES);
        return false;
    }
    for (unsigned i = 0; i < texts->count; i++) {
        struct matrix_axis axis = {.count = 0};
        bool read = read_axis(&axis, command, texts->items[i]);

        if (read && is_known(grid, axis.key)) {
            say_usage(command, "--vary %s: %s varies already", texts->items[i], axis.key);
            read = false;
        }
        if (!read) {
            free(axis.text);
            return false;
        }
        grid->axes[grid->count++] = axis;
        grid->cells *= axis.count;
        if (grid->cells > MATRIX_CELLS) {
            say_usage(command, "more than %d combinations: vary less at once", MATRIX_CELLS);
            return false;
        }
    }
    return true;
}

const char *matrix_grid_value(const struct matrix_grid *grid, unsigned cell, unsigned axis) {
    for (unsigned i = grid->count; i > axis + 1; i--) {
        cell /= grid->axes[i - 1].count;
    }
    return grid->axes[axis].values[cell % grid->axes[axis].count];
}

void matrix_grid_free(struct matrix_grid *grid) {
    for (unsigned i = 0; i < grid->count; i++) {
        free(grid->axes[i].text);
    }
}

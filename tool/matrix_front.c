/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix_front.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* What is compared: less is better. */
static const char *const costs[] = {"work_per_byte", "flash_bytes", "ram_bytes"};

#define COSTS (sizeof costs / sizeof *costs)

static double number_of(const json_t *object, const char *key) {
    return json_number_value(json_object_get(object, key));
}

/* The device's work in a step, whatever its tick is; negative when it is not known. */
static double work_of(const json_t *step) {
    static const char *const keys[] = {"busy_cycles_per_byte", "busy_instructions_per_byte",
                                       "busy_ns_per_byte"};

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        if (json_object_get(step, keys[i]) != NULL) {
            return number_of(step, keys[i]);
        }
    }
    return -1;
}

static void add_work(json_t *cell) {
    double sum = 0;
    size_t index;
    json_t *step;

    json_array_foreach(json_object_get(cell, "steps"), index, step) {
        double work = work_of(step);
        if (work < 0) {
            return;
        }
        sum += work;
    }
    if (sum > 0) {
        json_object_set_new(cell, "work_per_byte", json_real(sum));
    }
}

static bool is_comparable(const json_t *cell) {
    for (size_t i = 0; i < COSTS; i++) {
        if (json_object_get(cell, costs[i]) == NULL) {
            return false;
        }
    }
    return strcmp(json_string_value(json_object_get(cell, "status")), "ok") == 0;
}

/* At least as good in everything, and better in something. */
static bool is_better(const json_t *a, const json_t *b) {
    bool better = false;

    for (size_t i = 0; i < COSTS; i++) {
        double left = number_of(a, costs[i]);
        double right = number_of(b, costs[i]);

        if (left > right) {
            return false;
        }
        better |= left < right;
    }
    return better;
}

static bool is_on_front(const json_t *cells, const json_t *cell) {
    size_t index;
    json_t *other;

    json_array_foreach((json_t *)cells, index, other) {
        if (is_comparable(other) && is_better(other, cell)) {
            return false;
        }
    }
    return true;
}

void matrix_front_mark(json_t *cells) {
    size_t index;
    json_t *cell;

    json_array_foreach(cells, index, cell) {
        add_work(cell);
    }
    json_array_foreach(cells, index, cell) {
        if (is_comparable(cell)) {
            json_object_set_new(cell, "frontier", json_boolean(is_on_front(cells, cell)));
        }
    }
}

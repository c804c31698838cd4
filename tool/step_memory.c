/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>

#include "steps.h"

/* File the lines of one command as an array. A device that cannot tell is no failure. */
static int list(struct rig *rig, json_t *step, const char *command, const char *key) {
    json_t *items, *array;
    size_t index;
    json_t *item;
    int result = rig_command(rig, &items, "%s", command);

    if (result == ND_E_UNSUPPORTED) {
        result_absent(step, key, "not_hooked");
        return ND_OK;
    }
    if (result != ND_OK) {
        return result;
    }
    array = json_array();
    json_array_foreach(items, index, item) {
        json_t *object = json_object();
        result_take_item(object, item);
        json_array_append_new(array, object);
    }
    json_decref(items);
    json_object_set_new(step, key, array);
    return ND_OK;
}

/* File "metrics": its own line, and each "gap" line under its name. A first failure that was not is
 * "no_samples". */
static void file_metrics(json_t *step, const json_t *items) {
    json_t *metrics = json_object();
    size_t index;
    json_t *item;

    json_array_foreach(items, index, item) {
        const char *name = json_string_value(json_object_get(item, "name"));
        char key[32];

        if (name == NULL) {
            result_take_item(metrics, item);
            continue;
        }
        json_t *gap = json_object();
        result_take_item(gap, item);
        json_object_del(gap, "name");
        snprintf(key, sizeof key, "%s_gap", name);
        json_object_set_new(metrics, key, gap);
    }
    if (json_object_get(metrics, "first_failure_pool") == NULL) {
        result_absent(metrics, "first_failure_pool", "no_samples");
        result_absent(metrics, "first_failure_ns", "no_samples");
    }
    json_object_set_new(step, "metrics", metrics);
}

/* A device without the command is no failure. */
static int take_metrics(struct rig *rig, json_t *step) {
    json_t *items;
    int result = rig_command(rig, &items, "metrics");

    if (result == ND_E_UNSUPPORTED || result == ND_E_PROTOCOL) {
        result_absent(step, "metrics", "not_supported");
        return ND_OK;
    }
    if (result == ND_OK) {
        file_metrics(step, items);
        json_decref(items);
    }
    return result;
}

/* What the device counted for others before is not this run's. */
static int forget(struct rig *rig, const char *command) {
    int result = rig_command(rig, NULL, "%s", command);

    return result == ND_E_UNSUPPORTED || result == ND_E_PROTOCOL ? ND_OK : result;
}

/* Free heap over time, of an image that keeps it; others have no such key. */
static int take_series(struct rig *rig, json_t *step) {
    json_t *items, *array = json_array();
    size_t index;
    json_t *item;
    int result = rig_command(rig, &items, "heap series");

    if (result != ND_OK) {
        json_decref(array);
        return result == ND_E_UNSUPPORTED || result == ND_E_PROTOCOL ? ND_OK : result;
    }
    json_array_foreach(items, index, item) {
        json_t *point = json_object();
        result_take_item(point, item);
        json_array_append_new(array, point);
    }
    json_decref(items);
    json_object_set_new(step, "series", array);
    return ND_OK;
}

static int look(struct rig *rig, const char *name, bool at_end) {
    json_t *step = rig_begin_step(rig, name);
    int result = list(rig, step, "mem", "pools");

    if (result == ND_OK) {
        result = list(rig, step, "stack", "stacks");
    }
    if (result == ND_OK) {
        result = at_end ? take_metrics(rig, step) : forget(rig, "metrics reset");
    }
    if (result == ND_OK) {
        result = at_end ? take_series(rig, step) : forget(rig, "heap reset");
    }
    if (result != ND_OK) {
        rig_fail_step(step, "%s", rig->target.error);
        return result;
    }
    rig_pass_step(step);
    return ND_OK;
}

int step_memory_idle(struct rig *rig, const char *const *names) {
    return look(rig, names[0], false);
}

int step_memory_end(struct rig *rig, const char *const *names) {
    return look(rig, names[0], true);
}

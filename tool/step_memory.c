/* SPDX-License-Identifier: BSD-3-Clause */
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

int step_memory(struct rig *rig, const char *const *names) {
    json_t *step = rig_begin_step(rig, names[0]);
    int result = list(rig, step, "mem", "pools");

    if (result == ND_OK) {
        result = list(rig, step, "stack", "stacks");
    }
    if (result != ND_OK) {
        rig_fail_step(step, "%s", rig->target.error);
        return result;
    }
    rig_pass_step(step);
    return ND_OK;
}

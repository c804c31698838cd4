/* SPDX-License-Identifier: BSD-3-Clause */
#include "watch.h"

#include <string.h>

#include "say.h"
#include "sim.h"
#include "steps.h"

/* An image without a table has all in one layer. */
static int read_layers(struct watch *watch, const struct rig *rig) {
    const char *image = nd_sim_hello(target_simulation(&rig->target))->image;
    char error[TARGET_ERROR_BYTES];
    int result = layers_read_for(&watch->layers, watch->options->layers, watch->symbols.path, image,
                                 error, sizeof error);

    if (result < 0) {
        return say_usage(watch->command, "%s", error);
    }
    if (result > 0) {
        result_absent(watch->result.result, "layers", "not_built");
    }
    return SAY_DONE;
}

static int measure(struct watch *watch, struct rig *rig) {
    static const char *const identity[] = {"identity", NULL};
    int code = read_layers(watch, rig);

    if (code != SAY_DONE) {
        return code;
    }
    step_identity(rig, identity);
    code = load_prepare(watch->load, rig);
    return code == SAY_DONE ? watch->measure(watch, rig) : code;
}

static int show(struct watch *watch) {
    const char *json = watch->options->json;

    result_finish(&watch->result);
    if (watch->keeps) {
        watch->document = json_incref(watch->result.root);
        return SAY_DONE;
    }
    if (json == NULL || strcmp(json, "-") != 0) {
        watch->render(watch->result.root, stdout);
    }
    return json != NULL && result_write(watch->result.root, json) != 0 ? SAY_FAILED : SAY_DONE;
}

static int watch_target(struct watch *watch) {
    static struct rig rig; /* large, and there is one at a time */
    struct target_cfg cfg = {
        .name = watch->title,
        .firmware = watch->firmware != NULL ? watch->firmware : watch->options->firmware,
        .seed = (uint32_t)watch->options->seed,
        .symbols = &watch->symbols,
        .trace_changes = watch->trace_changes,
    };
    int status = rig_open(&rig, &cfg, &watch->settings, &watch->result);
    int code;

    if (status == ND_E_ARG) {
        return say_usage(watch->command, "%s", rig.target.error);
    }
    if (status != ND_OK) {
        say_error("%s", rig.target.error);
        return SAY_FAILED;
    }
    code = measure(watch, &rig);
    rig_describe(&rig, &cfg);
    rig_close(&rig);
    return code == SAY_DONE ? show(watch) : code;
}

static int prepare(struct watch *watch, const char *target) {
    const struct watch_options *options = watch->options;

    watch->title = target;
    if (watch->load == NULL) {
        watch->load = load_find(options->load, watch->command);
    }
    if (watch->load == NULL) {
        return SAY_USAGE;
    }
    if (target_find(target) == NULL) {
        return say_usage(watch->command, "unknown target %s, expected sim:STACK@BOARD", target);
    }
    settings_init(&watch->settings);
    for (unsigned i = 0; i < options->set.count; i++) {
        if (!settings_set(&watch->settings, watch->command, options->set.items[i])) {
            return SAY_USAGE;
        }
    }
    if ((options->count != NULL &&
         !settings_set_key(&watch->settings, watch->command, "datagrams", options->count)) ||
        (options->len != NULL &&
         !settings_set_key(&watch->settings, watch->command, "datagram", options->len))) {
        return SAY_USAGE;
    }
    if (watch->settings.time == TARGET_TIME_INSTRUCTIONS) {
        return say_usage(watch->command, "--set time=instructions: a %s counts cycles",
                         watch->command);
    }
    return SAY_DONE;
}

int watch_run(struct watch *watch, const char *target) {
    int code = prepare(watch, target);

    if (code != SAY_DONE) {
        return code;
    }
    result_begin(&watch->result, watch->title, watch->command);
    settings_describe(&watch->settings, watch->result.result);
    code = watch_target(watch);
    result_end(&watch->result);
    layers_free(&watch->layers);
    symbols_free(&watch->symbols);
    return code;
}

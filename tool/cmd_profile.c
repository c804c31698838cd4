/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_profile.c - where a simulated board's cycles go, function by function. */
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "profile_result.h"
#include "render.h"
#include "rig.h"
#include "say.h"
#include "signals.h"
#include "sim.h"
#include "steps.h"

struct options {
    const char *load;
    struct opt_list set;
    const char *json;
    const char *folded;
    const char *speedscope;
    const char *layers;
    const char *firmware;
    uint64_t seed;
};

#define AT(member) offsetof(struct options, member)

static const struct opt rows[] = {
    OPT_ROW_TEXT(0, "load", "NAME", AT(load), "tcp-rx, tcp-tx or tcp-tx-borrow [tcp-rx]"),
    OPT_ROW_LIST(0, "set", "KEY=VALUE", AT(set), "change a setting, as of run; may be repeated"),
    OPT_ROW_TEXT(0, "json", "FILE", AT(json), "write the result document, - = stdout"),
    OPT_ROW_TEXT(0, "folded", "FILE", AT(folded), "write folded stacks, for flame graphs"),
    OPT_ROW_TEXT(0, "speedscope", "FILE", AT(speedscope), "write speedscope's JSON"),
    OPT_ROW_TEXT(0, "layers", "FILE", AT(layers), "table of layers [beside the image]"),
    OPT_ROW_TEXT(0, "firmware", "FILE", AT(firmware), "image of the board"),
    OPT_ROW_NUMBER(0, "seed", "N", AT(seed), UNITS_COUNT, 1, 0, UINT32_MAX,
                   "of the simulation's random numbers"),
    OPT_ROW_END,
};

/* What the board is to do while it is watched. */
static const struct load {
    const char *name;
    const char *step[2]; /* ends with NULL, as steps.h wants names */
    int (*run)(struct rig *rig, const char *const *names);
} loads[] = {
    {"tcp-rx", {"tcp-rx"}, step_tcp_rx},
    {"tcp-tx", {"tcp-tx-copy"}, step_tcp_tx_copy},
    {"tcp-tx-borrow", {"tcp-tx-borrow"}, step_tcp_tx_borrow},
};

/* One run of the command. */
struct run {
    const struct options *options;
    const struct load *load;
    struct settings settings;
    struct result result;
    struct symbols symbols;
    struct layers layers;
    const char *title; /* the target, as typed */
};

static const struct load *find_load(const char *name) {
    for (size_t i = 0; i < sizeof loads / sizeof *loads; i++) {
        if (strcmp(loads[i].name, name) == 0) {
            return &loads[i];
        }
    }
    return NULL;
}

/* ---- the table of layers ------------------------------------------------------------- */

/* IMAGE.layers, beside the firmware. An image without one has all in one layer. */
static int read_layers(struct run *run, const struct rig *rig, char *error, size_t error_size) {
    const char *image = nd_sim_hello(target_simulation(&rig->target))->image;
    const char *slash = strrchr(run->symbols.path, '/');
    int folder = slash != NULL ? (int)(slash + 1 - run->symbols.path) : 0;
    char path[PATH_MAX];

    if (run->options->layers != NULL) {
        return layers_read(&run->layers, run->options->layers, error, error_size);
    }
    snprintf(path, sizeof path, "%.*s%s.layers", folder, run->symbols.path, image);
    if (layers_read(&run->layers, path, error, error_size) != 0) {
        result_absent(run->result.result, "layers", "not_built");
    }
    return 0;
}

/* ---- measuring ----------------------------------------------------------------------- */

static bool has_turned(struct rig *rig, void *ctx) {
    (void)ctx;
    return nd_sim_profile(target_simulation(&rig->target)) != NULL;
}

/* End a period of the counting. A device answers within a second, whatever it waits for. */
static int turn(struct rig *rig) {
    nd_sim_turn_profile(target_simulation(&rig->target));
    return rig_wait(rig, has_turned, NULL, UINT64_C(3000000000));
}

static bool all_ok(const struct result *result) {
    size_t index;
    json_t *step;

    json_array_foreach(result->steps, index, step) {
        if (strcmp(json_string_value(json_object_get(step, "status")), "ok") != 0) {
            say_error("%s: %s", json_string_value(json_object_get(step, "step")),
                      json_string_value(json_object_get(step, "reason")));
            return false;
        }
    }
    return true;
}

static int write_exports(const struct run *run, const struct profile *profile) {
    const struct options *options = run->options;

    if (options->folded != NULL && profile_write_folded(profile, options->folded) != 0) {
        return SAY_FAILED;
    }
    if (options->speedscope != NULL &&
        profile_write_speedscope(profile, run->title, options->speedscope) != 0) {
        return SAY_FAILED;
    }
    return SAY_DONE;
}

/* Name and file what was counted. */
static int keep_profile(struct run *run, struct rig *rig) {
    const json_t *step = json_array_get(run->result.steps, json_array_size(run->result.steps) - 1);
    const struct profile profile = {
        .raw = nd_sim_profile(target_simulation(&rig->target)),
        .symbols = &run->symbols,
        .layers = &run->layers,
        .payload_bytes = (uint64_t)json_integer_value(json_object_get(step, "rx_bytes")),
    };
    const char *wrong;
    json_t *object = profile_describe(&profile, &wrong);

    if (object == NULL) {
        say_error("%s: %s", run->title, wrong);
        return SAY_FAILED;
    }
    result_text(object, "load", run->load->name);
    json_object_set_new(run->result.result, "profile", object);
    return write_exports(run, &profile);
}

/* The device's identity, then the load between two turns. */
static int measure(struct run *run, struct rig *rig) {
    static const char *const identity[] = {"identity", NULL};
    char error[TARGET_ERROR_BYTES];

    if (read_layers(run, rig, error, sizeof error) != 0) {
        return say_usage("profile", "%s", error);
    }
    step_identity(rig, identity);
    if (turn(rig) != ND_OK) {
        say_error("%s: %s", run->title, rig->target.error);
        return SAY_FAILED;
    }
    rig_clear_reports(rig);
    run->load->run(rig, run->load->step);
    if (!all_ok(&run->result)) {
        return SAY_FAILED;
    }
    if (turn(rig) != ND_OK) {
        say_error("%s: %s", run->title, rig->target.error);
        return SAY_FAILED;
    }
    return keep_profile(run, rig);
}

static int show(struct run *run) {
    const char *json = run->options->json;

    result_finish(&run->result);
    if (json == NULL || strcmp(json, "-") != 0) {
        render_profile(run->result.root, stdout);
    }
    return json != NULL && result_write(run->result.root, json) != 0 ? SAY_FAILED : SAY_DONE;
}

static int profile_target(struct run *run) {
    static struct rig rig; /* large, and there is one at a time */
    struct target_cfg cfg = {
        .name = run->title,
        .firmware = run->options->firmware,
        .seed = (uint32_t)run->options->seed,
        .symbols = &run->symbols,
    };
    int status = rig_open(&rig, &cfg, &run->settings, &run->result);
    int code;

    if (status == ND_E_ARG) {
        return say_usage("profile", "%s", rig.target.error);
    }
    if (status != ND_OK) {
        say_error("%s", rig.target.error);
        return SAY_FAILED;
    }
    code = measure(run, &rig);
    rig_describe(&rig, &cfg);
    rig_close(&rig);
    if (code == SAY_DONE) {
        code = show(run);
    }
    return code;
}

static int prepare(struct run *run, const char *target) {
    const char *load = run->options->load != NULL ? run->options->load : loads[0].name;

    run->title = target;
    run->load = find_load(load);
    if (run->load == NULL) {
        return say_usage("profile", "--load %s: expected one of: tcp-rx, tcp-tx, tcp-tx-borrow",
                         load);
    }
    if (target_find(target) == NULL) {
        return say_usage("profile", "unknown target %s, expected sim:STACK@BOARD", target);
    }
    settings_init(&run->settings);
    for (unsigned i = 0; i < run->options->set.count; i++) {
        if (!settings_set(&run->settings, "profile", run->options->set.items[i])) {
            return SAY_USAGE;
        }
    }
    if (run->settings.time == TARGET_TIME_INSTRUCTIONS) {
        return say_usage("profile", "--set time=instructions: a profile counts cycles");
    }
    return SAY_DONE;
}

static int run(const void *ctx, const struct opt_list *operands) {
    struct run run = {.options = ctx};
    int code = prepare(&run, operands->items[0]);

    if (code != SAY_DONE) {
        return code;
    }
    result_begin(&run.result, run.title, "profile");
    settings_describe(&run.settings, run.result.result);
    code = profile_target(&run);
    result_end(&run.result);
    layers_free(&run.layers);
    symbols_free(&run.symbols);
    return signals_exit(code);
}

const struct command cmd_profile = {
    .name = "profile",
    .summary = "Show where a simulated board's cycles go",
    .operands = "TARGET",
    .operands_min = 1,
    .operands_max = 1,
    .options = rows,
    .options_size = sizeof(struct options),
    .notes = "The target is a simulated board, sim:STACK@BOARD. Its firmware needs no change:\n"
             "cycles and calls are counted outside. Every cycle that the processor works is\n"
             "in the table, that of talking to the simulator as layer `instrument`; idle\n"
             "time is not. flamegraph.pl draws --folded, www.speedscope.app --speedscope.",
    .run = run,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_profile.c - where a simulated board's cycles go, function by function. */
#include <string.h>

#include "commands.h"
#include "experiment.h"
#include "profile_result.h"
#include "render.h"
#include "render_experiment.h"
#include "say.h"
#include "signals.h"
#include "sim.h"
#include "timing_result.h"
#include "watch.h"

struct options {
    struct watch_options watch;
    const char *folded;
    const char *speedscope;
    struct experiment_options experiment;
};

/* One profile of one image. */
struct job {
    const struct options *options;
    const struct variant *predict; /* of an experiment's first run; else NULL */
    uint64_t *removed;             /* cycles that it says will go */
};

#define AT(member) offsetof(struct options, member)

static const struct opt rows[] = {
    WATCH_ROWS(AT(watch)),
    OPT_ROW_TEXT(0, "folded", "FILE", AT(folded), "write folded stacks, for flame graphs"),
    OPT_ROW_TEXT(0, "speedscope", "FILE", AT(speedscope), "write speedscope's JSON"),
    EXPERIMENT_ROWS(AT(experiment)),
    OPT_ROW_END,
};

static int write_exports(const struct watch *watch, const struct profile *profile) {
    const struct options *options = ((const struct job *)watch->ctx)->options;

    if (options->folded != NULL && profile_write_folded(profile, options->folded) != 0) {
        return SAY_FAILED;
    }
    if (options->speedscope != NULL &&
        profile_write_speedscope(profile, watch->title, options->speedscope) != 0) {
        return SAY_FAILED;
    }
    return SAY_DONE;
}

/* File the firmware's own table, if it has one. */
static int keep_timing(struct watch *watch, struct rig *rig, const struct profile *profile) {
    json_t *object = timing_describe(rig, profile);

    if (object == NULL) {
        say_error("%s", rig->target.error);
        return SAY_FAILED;
    }
    json_object_set_new(watch->result.result, "timing", object);
    return SAY_DONE;
}

/* Name and file what was counted. */
static int keep_profile(struct watch *watch, struct rig *rig, bool has_timing) {
    const json_t *step =
        json_array_get(watch->result.steps, json_array_size(watch->result.steps) - 1);
    const struct profile profile = {
        .raw = nd_sim_profile(target_simulation(&rig->target)),
        .symbols = &watch->symbols,
        .layers = &watch->layers,
        .payload_bytes = (uint64_t)json_integer_value(json_object_get(step, "rx_bytes")),
    };
    const struct job *job = watch->ctx;
    const char *wrong;
    json_t *object = profile_describe(&profile, &wrong);

    if (object == NULL) {
        say_error("%s: %s", watch->title, wrong);
        return SAY_FAILED;
    }
    result_text(object, "load", watch->load->name);
    json_object_set_new(watch->result.result, "profile", object);
    if (has_timing && keep_timing(watch, rig, &profile) != SAY_DONE) {
        return SAY_FAILED;
    }
    if (job->predict != NULL) {
        *job->removed = variant_cycles(job->predict, &profile);
    }
    return watch->keeps && job->predict == NULL ? SAY_DONE : write_exports(watch, &profile);
}

static int measure(struct watch *watch, struct rig *rig) {
    bool has_timing = timing_forget(rig, &watch->symbols);
    int code = load_run(watch->load, rig);

    return code == SAY_DONE ? keep_profile(watch, rig, has_timing) : code;
}

/* ---- one run, or two ------------------------------------------------------------------- */

static struct watch watch_of(struct job *job) {
    return (struct watch){
        .command = "profile",
        .options = &job->options->watch,
        .measure = measure,
        .render = render_profile,
        .ctx = job,
    };
}

/* What experiment_run() calls. */
struct bench {
    const struct options *options;
    const char *target;
};

static int profile_image(void *ctx, const char *firmware, const struct load *load,
                         const struct variant *predict, uint64_t *removed, json_t **document) {
    const struct bench *bench = ctx;
    struct job job = {.options = bench->options, .predict = predict, .removed = removed};
    struct watch watch = watch_of(&job);
    int code;

    watch.keeps = true;
    watch.firmware = firmware;
    watch.load = load;
    code = watch_run(&watch, bench->target);
    *document = watch.document;
    return code;
}

static int run_experiment(const struct options *options, const char *target) {
    const char *json = options->watch.json;
    struct bench bench = {.options = options, .target = target};
    struct experiment experiment = {
        .command = "profile",
        .target = target,
        .options = &options->experiment,
        .load = load_find(options->watch.load, "profile"),
        .profile = profile_image,
        .ctx = &bench,
    };
    json_t *document;
    int code;

    if (experiment.load == NULL) {
        return SAY_USAGE;
    }
    if (options->watch.firmware != NULL) {
        return say_usage("profile", "--firmware: --without and --with build the image themselves");
    }
    code = experiment_run(&experiment, &document);
    if (code != SAY_DONE) {
        return code;
    }
    if (json == NULL || strcmp(json, "-") != 0) {
        render_profile(document, stdout);
        render_experiment(document, stdout);
    }
    code = json != NULL && result_write(document, json) != 0 ? SAY_FAILED : SAY_DONE;
    json_decref(document);
    return code;
}

static int run(const void *ctx, const struct opt_list *operands) {
    const struct options *options = ctx;
    struct job job = {.options = options};
    struct watch watch = watch_of(&job);

    return signals_exit(experiment_wanted(&options->experiment)
                            ? run_experiment(options, operands->items[0])
                            : watch_run(&watch, operands->items[0]));
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
             "time is not. Of an image with probes its own table stands beside.\nLoads: " LOAD_NAMES
             ".\n"
             "flamegraph.pl draws --folded, www.speedscope.app --speedscope.\n"
             "--without takes copy (of the load tcp-tx), a name from the table IMAGE.without\n"
             "beside the image (checksum-udp), or an option's NAME, which is then 0; what is\n"
             "predicted from the profile is printed beside what is measured. --with takes\n"
             "options as matrix varies them.",
    .run = run,
};

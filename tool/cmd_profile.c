/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_profile.c - where a simulated board's cycles go, function by function. */
#include "commands.h"
#include "profile_result.h"
#include "render.h"
#include "say.h"
#include "signals.h"
#include "sim.h"
#include "watch.h"

struct options {
    struct watch_options watch;
    const char *folded;
    const char *speedscope;
};

#define AT(member) offsetof(struct options, member)

static const struct opt rows[] = {
    WATCH_ROWS(AT(watch)),
    OPT_ROW_TEXT(0, "folded", "FILE", AT(folded), "write folded stacks, for flame graphs"),
    OPT_ROW_TEXT(0, "speedscope", "FILE", AT(speedscope), "write speedscope's JSON"),
    OPT_ROW_END,
};

static int write_exports(const struct watch *watch, const struct profile *profile) {
    const struct options *options = watch->ctx;

    if (options->folded != NULL && profile_write_folded(profile, options->folded) != 0) {
        return SAY_FAILED;
    }
    if (options->speedscope != NULL &&
        profile_write_speedscope(profile, watch->title, options->speedscope) != 0) {
        return SAY_FAILED;
    }
    return SAY_DONE;
}

/* Name and file what was counted. */
static int keep_profile(struct watch *watch, struct rig *rig) {
    const json_t *step =
        json_array_get(watch->result.steps, json_array_size(watch->result.steps) - 1);
    const struct profile profile = {
        .raw = nd_sim_profile(target_simulation(&rig->target)),
        .symbols = &watch->symbols,
        .layers = &watch->layers,
        .payload_bytes = (uint64_t)json_integer_value(json_object_get(step, "rx_bytes")),
    };
    const char *wrong;
    json_t *object = profile_describe(&profile, &wrong);

    if (object == NULL) {
        say_error("%s: %s", watch->title, wrong);
        return SAY_FAILED;
    }
    result_text(object, "load", watch->load->name);
    json_object_set_new(watch->result.result, "profile", object);
    return write_exports(watch, &profile);
}

static int measure(struct watch *watch, struct rig *rig) {
    int code = load_run(watch->load, rig);

    return code == SAY_DONE ? keep_profile(watch, rig) : code;
}

static int run(const void *ctx, const struct opt_list *operands) {
    const struct options *options = ctx;
    struct watch watch = {
        .command = "profile",
        .options = &options->watch,
        .measure = measure,
        .render = render_profile,
        .ctx = (void *)ctx,
    };

    return signals_exit(watch_run(&watch, operands->items[0]));
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
             "time is not.\nLoads: " LOAD_NAMES ".\n"
             "flamegraph.pl draws --folded, www.speedscope.app --speedscope.",
    .run = run,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_run.c - put targets on the rollers, one after the other. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "plan.h"
#include "render.h"
#include "say.h"
#include "signals.h"

struct options {
    const char *plan;
    struct opt_list set;
    const char *chunk;
    const char *json;
    uint64_t seed;
    const char *pcap;
    const char *firmware;
    const char *address;
};

#define AT(member) offsetof(struct options, member)

static const struct opt rows[] = {
    OPT_ROW_TEXT(0, "plan", "NAME", AT(plan), "what to measure, see below [default]"),
    OPT_ROW_LIST(0, "set", "KEY=VALUE", AT(set), "change a setting, see below; may be repeated"),
    OPT_ROW_TEXT(0, "chunk", "BYTES", AT(chunk), "as --set chunk=BYTES, of plan stream"),
    OPT_ROW_TEXT(0, "json", "FILE", AT(json), "write the result document, - = stdout"),
    OPT_ROW_NUMBER(0, "seed", "N", AT(seed), UNITS_COUNT, 0, 1, UINT32_MAX,
                   "of a simulation's random numbers [1]"),
    OPT_ROW_TEXT(0, "pcap", "FILE", AT(pcap), "keep the frames of a simulated wire"),
    OPT_ROW_TEXT(0, "firmware", "FILE", AT(firmware), "image of a simulated target"),
    OPT_ROW_TEXT(0, "address", "ADDR", AT(address), "of a serial: target that does not tell it"),
    OPT_ROW_END,
};

/* What all targets of one command share. */
struct run {
    const struct options *options;
    const struct plan *plan;
    struct settings settings;
    unsigned targets;
    json_t *documents; /* array */
    int code;
};

static const char *text_of(const json_t *step, const char *key) {
    const char *text = json_string_value(json_object_get(step, key));

    return text != NULL ? text : "";
}

/* Steps that are not ok; *first gets the first of them. */
static unsigned count_failures(const struct result *result, const json_t **first) {
    unsigned count = 0;
    size_t index;
    json_t *step;

    json_array_foreach(result->steps, index, step) {
        if (strcmp(text_of(step, "status"), "ok") != 0 && count++ == 0) {
            *first = step;
        }
    }
    return count;
}

/* The one line that a run with failures ends with. */
static void tell_failures(const struct result *result, const char *target, unsigned count,
                          const json_t *first) {
    size_t steps = json_array_size(result->steps);

    if (count == steps && strcmp(text_of(first, "status"), "not_run") == 0) {
        say_error("%s: %s", target, text_of(first, "reason"));
    } else {
        say_error("%s: %u of %zu steps have no result, first %s: %s", target, count, steps,
                  text_of(first, "step"), text_of(first, "reason"));
    }
}

/* Whether stdout is for a person. */
static bool shows(const struct run *run) {
    return run->options->json == NULL || strcmp(run->options->json, "-") != 0;
}

static void finish(struct run *run, struct result *result, const char *target) {
    const json_t *first = NULL;
    unsigned failures;

    result_finish(result);
    if (run->targets == 1 && shows(run)) {
        render_text(result->root, stdout);
        fflush(stdout);
    }
    failures = count_failures(result, &first);
    if (failures > 0) {
        tell_failures(result, target, failures, first);
        run->code = SAY_FAILED;
    }
    json_array_append(run->documents, result->root);
    result_end(result);
}

static struct target_cfg configure(const struct run *run, const char *name) {
    struct target_cfg cfg = {
        .name = name,
        .address = run->options->address,
        .firmware = run->options->firmware,
        .pcap = run->options->pcap,
        .seed = (uint32_t)run->options->seed,
    };

    rig_configure(&cfg, &run->settings);
    return cfg;
}

static void run_target(struct run *run, const char *name) {
    static struct rig rig; /* large, and there is one at a time */
    struct target_cfg cfg = configure(run, name);
    struct result result;
    char shown[TARGET_NAME_BYTES];

    target_shown_name(name, shown);
    result_begin(&result, shown, run->plan->name);
    settings_describe(&run->settings, result.result);
    if (rig_open(&rig, &cfg, &run->settings, &result) == ND_OK) {
        plan_run(run->plan, &rig);
        rig_describe(&rig, &cfg);
        rig_close(&rig);
    } else {
        plan_fail(run->plan, &rig, rig.target.error);
    }
    finish(run, &result, shown);
}

/* One document alone, or an array of several. */
static void write_documents(struct run *run) {
    const json_t *document =
        json_array_size(run->documents) == 1 ? json_array_get(run->documents, 0) : run->documents;

    if (result_write(document, run->options->json) != 0) {
        run->code = SAY_FAILED;
    }
}

/* All of them before the first is started: what is refused later would cost finished results. */
static int check_targets(const struct run *run, const struct opt_list *targets) {
    for (unsigned i = 0; i < targets->count; i++) {
        struct target_cfg cfg = configure(run, targets->items[i]);
        struct target target;

        if (target_check(&target, &cfg) != ND_OK) {
            return say_usage("run", "%s", target.error);
        }
    }
    return SAY_DONE;
}

static int prepare(struct run *run, const struct opt_list *targets) {
    const char *plan = run->options->plan != NULL ? run->options->plan : PLAN_DEFAULT;

    run->plan = plan_find(plan);
    if (run->plan == NULL) {
        return say_usage("run", "--plan %s: expected one of: %s", plan, plan_names());
    }
    settings_init(&run->settings);
    for (unsigned i = 0; i < run->options->set.count; i++) {
        if (!settings_set(&run->settings, "run", run->options->set.items[i])) {
            return SAY_USAGE;
        }
    }
    if (run->options->chunk != NULL &&
        !settings_set_key(&run->settings, "run", "chunk", run->options->chunk)) {
        return SAY_USAGE;
    }
    return check_targets(run, targets);
}

/* True when two paths, either of which may be NULL, are the same file. */
static bool same_file(const char *a, const char *b) {
    struct stat left, right;

    if (a == NULL || b == NULL) {
        return false;
    }
    return strcmp(a, b) == 0 || (stat(a, &left) == 0 && stat(b, &right) == 0 &&
                                 left.st_dev == right.st_dev && left.st_ino == right.st_ino);
}

static int check_different(const struct options *options) {
    if (same_file(options->json, options->pcap) || same_file(options->firmware, options->pcap) ||
        same_file(options->json, options->firmware)) {
        return say_usage("run", "--json, --pcap and --firmware: expected different files");
    }
    return SAY_DONE;
}

/* Files that would be found wanting, or would destroy each other, only after the run. The
 * document's is made first: only then can another name of it be told. */
static int check_files(const struct options *options, unsigned targets) {
    bool written = options->json != NULL && strcmp(options->json, "-") != 0;
    bool is_new = written && access(options->json, F_OK) != 0;
    int code;

    if (options->pcap != NULL && targets > 1) {
        return say_usage("run", "--pcap %s: expected one target, it keeps one wire", options->pcap);
    }
    if (written) {
        FILE *file = fopen(options->json, "a");
        if (file == NULL) {
            say_error("cannot write %s: %s", options->json, strerror(errno));
            return SAY_FAILED;
        }
        fclose(file);
    }
    code = check_different(options);
    if (code != SAY_DONE && is_new) {
        unlink(options->json);
    }
    return code;
}

static int run(const void *ctx, const struct opt_list *targets) {
    struct run run = {.options = ctx};
    int code = prepare(&run, targets);

    if (code == SAY_DONE) {
        code = check_files(run.options, targets->count);
    }
    if (code != SAY_DONE) {
        return code;
    }
    run.targets = targets->count;
    run.documents = json_array();
    for (unsigned i = 0; i < targets->count && signals_caught() == 0; i++) {
        run_target(&run, targets->items[i]);
    }
    if (run.targets > 1 && shows(&run)) {
        render_side(run.documents, stdout);
    }
    if (json_array_size(run.documents) > 0 && run.options->json != NULL) {
        write_documents(&run);
    }
    json_decref(run.documents);
    return signals_exit(run.code);
}

const struct command cmd_run = {
    .name = "run",
    .summary = "Measure a stack and print its dyno sheet",
    .operands = "TARGET...",
    .operands_min = 1,
    .operands_max = OPT_ITEMS,
    .options = rows,
    .options_size = sizeof(struct options),
    .notes = "Targets: sim:STACK@BOARD (a simulated board: sim:lwip@lpc1768), native:STACK\n"
             "(the same image as a process), tcp://[TOKEN@]HOST[:PORT] (a board's console; or\n"
             "the token is in NETDYNO_TOKEN), serial:DEVICE[@BAUD] (its console at a serial\n"
             "line, its tests over the network), local: (this machine's kernel).\n"
             "Plans: default, memory, tcp, echo; udp (the device sends datagrams); bypass (the\n"
             "same, and then around the stack); stream (chunks that the device makes, and the\n"
             "highest rate of them that it keeps).\n"
             "Settings: seconds=TIME of each TCP test [1s], buflen=BYTES per write [1K],\n"
             "messages=N of each echo test [1000], memtest=BYTES per phase [the device's],\n"
             "datagrams=N [1024] of datagram=BYTES [1472] of plans udp and bypass,\n"
             "chunk=BYTES [the device's] and chunks=N a second [searched for] of plan stream,\n"
             "link=RATE and delay=TIME of a simulated wire, time=cycles or instructions of a\n"
             "board's clock, spi_hz=CLOCK [33M] and sockets=N [8] of native:w5500.\n"
             "Several targets are printed side by side. A step that fails leaves the others'\n"
             "results; the exit code is then 1.",
    .run = run,
};

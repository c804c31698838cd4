/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_trace.c - what a simulated board does, as a logic analyser would show it; and the pulses in a
 * record of a real one. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "nd/lockstep.h"
#include "render.h"
#include "say.h"
#include "signals.h"
#include "sim.h"
#include "trace_keep.h"
#include "trace_lanes.h"
#include "trace_result.h"
#include "trace_spans.h"
#include "vcd_reader.h"
#include "watch.h"

/* Changes of function that are kept at most: half a second of a busy stack, 64 MiB. */
enum { CHANGES_MAX = 4 << 20 };

/* A window's longest times [ns]. */
#define WINDOW_MAX_NS (UINT64_C(3600) * 1000000000)

struct options {
    struct watch_options watch;
    struct opt_list output;
    uint64_t trigger_bytes;
    uint64_t after_ns;
    uint64_t duration_ns;
    const char *from;
};

#define AT(member) offsetof(struct options, member)

static const struct opt rows[] = {
    OPT_ROW_LIST('o', "output", "FILE", AT(output), "write FILE.vcd or FILE.json; may be repeated"),
    OPT_ROW_NUMBER(0, "trigger", "BYTES", AT(trigger_bytes), UNITS_BYTES, 128, 0,
                   ND_LOCKSTEP_FRAME_BYTES, "begin with a frame of so many; 0 = at once"),
    OPT_ROW_NUMBER(0, "after", "TIME", AT(after_ns), UNITS_NS, 0, 0, WINDOW_MAX_NS,
                   "and so much later"),
    OPT_ROW_NUMBER(0, "duration", "TIME", AT(duration_ns), UNITS_NS, 5000000, 1000, WINDOW_MAX_NS,
                   "end so long after that"),
    WATCH_ROWS(AT(watch)),
    OPT_ROW_TEXT(0, "from", "FILE", AT(from), "count the pulses in a VCD file instead"),
    OPT_ROW_END,
};

/* ---- a trace of a simulation ----------------------------------------------------------- */

static void describe_window(const struct watch *watch, uint64_t after_ns) {
    json_t *trace = json_object_get(watch->result.result, "trace");

    result_text(trace, "load", watch->load->name);
    result_value(trace, "after_ns", (int64_t)after_ns);
}

static int keep_trace(struct watch *watch, struct nd_sim *sim) {
    const struct options *options = watch->ctx;
    const struct trace_lanes lanes = {
        .trace = nd_sim_traced(sim),
        .symbols = &watch->symbols,
        .layers = &watch->layers,
        .hz = nd_sim_hello(sim)->hz,
    };
    struct timeline timeline;
    uint64_t begin_ns;
    char about[256];
    const char *wrong = trace_lanes_make(&lanes, &timeline, &begin_ns);
    int code = SAY_FAILED;

    if (wrong == NULL) {
        uint64_t after_ns = begin_ns - lanes.trace->trigger_ns;

        snprintf(about, sizeof about, "%s, load %s, %" PRIu64 " ns after the trigger", watch->title,
                 watch->load->name, after_ns);
        code = trace_keep(&timeline, about, &options->output, watch->result.result);
        describe_window(watch, after_ns);
    } else {
        say_error("%s: %s", watch->title, wrong);
    }
    timeline_free(&timeline);
    return code;
}

static bool is_traced(struct rig *rig, void *ctx) {
    (void)ctx;
    return nd_sim_traced(target_simulation(&rig->target)) != NULL;
}

static int measure(struct watch *watch, struct rig *rig) {
    const struct options *options = watch->ctx;
    struct nd_sim *sim = target_simulation(&rig->target);
    const struct nd_sim_window window = {
        .trigger_bytes = (uint32_t)options->trigger_bytes,
        .after_ns = options->after_ns,
        .duration_ns = options->duration_ns,
    };
    int code;

    nd_sim_trace(sim, &window);
    code = load_run(watch->load, rig);
    if (code != SAY_DONE) {
        return code;
    }
    if (!nd_sim_end_trace(sim)) {
        say_error("%s: the load was over before the window began: make --trigger or --after "
                  "smaller, or the load longer by --set seconds=",
                  watch->title);
        return SAY_FAILED;
    }
    if (load_await(rig, is_traced) != ND_OK) {
        say_error("%s: %s", watch->title, rig->target.error);
        return SAY_FAILED;
    }
    return keep_trace(watch, sim);
}

static int trace_target(const struct options *options, const char *target) {
    struct watch watch = {
        .command = "trace",
        .options = &options->watch,
        .trace_changes = CHANGES_MAX,
        .measure = measure,
        .render = render_trace,
        .ctx = (void *)options,
    };

    return watch_run(&watch, target);
}

/* ---- documents that are no simulation's ------------------------------------------------ */

static int show_trace(struct result *result, const char *json) {
    result_finish(result);
    if (json == NULL || strcmp(json, "-") != 0) {
        render_trace(result->root, stdout);
    }
    return json != NULL && result_write(result->root, json) != 0 ? SAY_FAILED : SAY_DONE;
}

/* ---- the marks of a device ------------------------------------------------------------- */

static bool is_over(struct rig *rig, void *ctx) {
    return target_now_ns(&rig->target) >= *(const uint64_t *)ctx;
}

/* Let so much time pass. */
static int wait_for(struct rig *rig, uint64_t time_ns) {
    uint64_t until_ns = target_now_ns(&rig->target) + time_ns;

    return rig_wait(rig, is_over, &until_ns, time_ns + WINDOW_MAX_NS);
}

/* Let the device record, and fetch what it has; NULL after an error line. */
static json_t *fetch_spans(const struct options *options, struct rig *rig) {
    json_t *lines = NULL;
    int result = wait_for(rig, options->after_ns);

    if (result == ND_OK) {
        result = rig_command(rig, NULL, "spans start");
    }
    if (result == ND_OK) {
        result = wait_for(rig, options->duration_ns);
    }
    if (result == ND_OK) {
        result = rig_command(rig, &lines, "spans");
    }
    if (result != ND_OK) {
        say_error("%s", rig->target.error);
    }
    return result == ND_OK ? lines : NULL;
}

static int keep_spans(const struct options *options, json_t *lines, json_t *result) {
    const char *target = json_string_value(json_object_get(result, "target"));
    const json_t *head = json_array_get(lines, 0);
    struct timeline timeline;
    const char *wrong = trace_spans_make(lines, &timeline);
    int code = SAY_FAILED;

    if (wrong == NULL) {
        code = trace_keep(&timeline, target, &options->output, result);
        result_value(json_object_get(result, "trace"), "lost_events",
                     json_integer_value(json_object_get(head, "lost")));
    } else {
        say_error("%s: %s", target, wrong);
    }
    timeline_free(&timeline);
    return code;
}

static int record_spans(const struct options *options, const char *target, struct result *result) {
    static struct rig rig; /* large, and there is one at a time */
    struct target_cfg cfg = {.name = target};
    struct settings settings;
    json_t *lines;
    int status;
    int code = SAY_FAILED;

    settings_init(&settings);
    status = rig_open(&rig, &cfg, &settings, result);
    if (status != ND_OK) {
        say_error("%s", rig.target.error);
        return status == ND_E_ARG ? SAY_USAGE : SAY_FAILED;
    }
    lines = fetch_spans(options, &rig);
    if (lines != NULL) {
        code = keep_spans(options, lines, result->result);
    }
    json_decref(lines);
    rig_describe(&rig, &cfg);
    rig_close(&rig);
    return code;
}

static int trace_device(const struct options *options, const char *target) {
    const struct watch_options *watch = &options->watch;
    char shown[TARGET_NAME_BYTES];
    struct result result;
    int code;

    target_shown_name(target, shown);
    if (watch->load != NULL || watch->layers != NULL || watch->firmware != NULL ||
        watch->set.count > 0) {
        return say_usage("trace",
                         "--load, --layers, --firmware and --set are for sim: targets "
                         "only: %s records marks",
                         shown);
    }
    result_begin(&result, shown, "trace");
    code = record_spans(options, target, &result);
    if (code == SAY_DONE) {
        code = show_trace(&result, watch->json);
    }
    result_end(&result);
    return code;
}

/* ---- pulses of a file ------------------------------------------------------------------ */

static int show_vcd(const struct vcd *vcd, const char *path, const char *json) {
    struct result result;
    int code;

    result_begin(&result, path, "trace");
    json_object_set_new(result.result, "trace", trace_describe_vcd(vcd));
    code = show_trace(&result, json);
    result_end(&result);
    return code;
}

static int read_pulses(const char *path, const char *json) {
    FILE *file = fopen(path, "r");
    char error[VCD_ERROR_BYTES];
    struct vcd vcd;
    int result;
    int code;

    if (file == NULL) {
        return say_usage("trace", "cannot read %s: %s", path, strerror(errno));
    }
    result = vcd_read(&vcd, file, error);
    fclose(file);
    if (result != 0) {
        say_error("%s: %s", path, error);
        return SAY_FAILED;
    }
    code = show_vcd(&vcd, path, json);
    vcd_free(&vcd);
    return code;
}

/* Options that mean nothing to a file. */
static bool wants_target(const struct options *options) {
    const struct watch_options *watch = &options->watch;

    return options->output.count > 0 || watch->load != NULL || watch->set.count > 0 ||
           watch->layers != NULL || watch->firmware != NULL;
}

/* ---- the command ----------------------------------------------------------------------- */

static int run(const void *ctx, const struct opt_list *operands) {
    const struct options *options = ctx;
    const struct target_kind *kind;

    if ((operands->count == 1) == (options->from != NULL)) {
        return say_usage("trace", "expected either a TARGET or --from FILE");
    }
    if (options->from != NULL && wants_target(options)) {
        return say_usage("trace", "-o, --load, --set, --layers and --firmware are for a TARGET");
    }
    if (options->from != NULL) {
        return read_pulses(options->from, options->watch.json);
    }
    if (!trace_names_ok(&options->output)) {
        return SAY_USAGE;
    }
    kind = target_find(operands->items[0]);
    return signals_exit(kind != NULL && !kind->counts_cycles
                            ? trace_device(options, operands->items[0])
                            : trace_target(options, operands->items[0]));
}

const struct command cmd_trace = {
    .name = "trace",
    .summary = "Show what a simulated board does, as a logic analyser would",
    .operands = "[TARGET]",
    .operands_min = 0,
    .operands_max = 1,
    .options = rows,
    .options_size = sizeof(struct options),
    .notes = "The target is a simulated board, sim:STACK@BOARD; its firmware needs no change.\n"
             "`cpu` says in which layer its processor is, `call` which layers' calls are open,\n"
             "`wire` what is on the wire: docs/trace.md. Of another target, those marks are\n"
             "recorded that are in its firmware (nd/span.h), after --after for --duration.\n"
             "GTKWave and PulseView open FILE.vcd; ui.perfetto.dev and chrome://tracing open\n"
             "FILE.json. --from counts the pulses in what a logic analyser exported.\n"
             "Loads: " LOAD_NAMES ".",
    .run = run,
};

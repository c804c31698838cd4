/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_trace.c - what a simulated board does, as a logic analyser would show it; and the pulses in a
 * record of a real one. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "chrome_writer.h"
#include "commands.h"
#include "nd/lockstep.h"
#include "render.h"
#include "say.h"
#include "signals.h"
#include "sim.h"
#include "trace_lanes.h"
#include "trace_result.h"
#include "vcd_reader.h"
#include "vcd_writer.h"
#include "watch.h"
#include "waves.h"

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

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text);

    return length > strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

/* Write every file that was asked for. */
static int write_files(const struct watch *watch, const struct timeline *timeline,
                       const struct waves *waves, uint64_t after_ns) {
    const struct options *options = watch->ctx;
    char about[256];

    snprintf(about, sizeof about, "%s, load %s, %" PRIu64 " ns after the trigger", watch->title,
             watch->load->name, after_ns);
    for (unsigned i = 0; i < options->output.count; i++) {
        const char *path = options->output.items[i];
        int result = ends_with(path, ".vcd") ? vcd_write(timeline, waves, about, path)
                                             : chrome_write(timeline, about, path);

        if (result != 0) {
            return SAY_FAILED;
        }
    }
    return SAY_DONE;
}

/* Enter the pulses into the document, and write the files. */
static int keep_timeline(struct watch *watch, const struct timeline *timeline, uint64_t after_ns) {
    struct waves waves;
    json_t *object = NULL;
    int code = SAY_FAILED;

    if (waves_make(&waves, timeline) == 0) {
        object = trace_describe(timeline, &waves);
    }
    if (object != NULL) {
        result_text(object, "load", watch->load->name);
        result_value(object, "after_ns", (int64_t)after_ns);
        json_object_set_new(watch->result.result, "trace", object);
        code = write_files(watch, timeline, &waves, after_ns);
    } else {
        say_error("out of memory");
    }
    waves_free(&waves);
    return code;
}

static int keep_trace(struct watch *watch, struct nd_sim *sim) {
    const struct trace_lanes lanes = {
        .trace = nd_sim_traced(sim),
        .symbols = &watch->symbols,
        .layers = &watch->layers,
        .hz = nd_sim_hello(sim)->hz,
    };
    struct timeline timeline;
    uint64_t begin_ns;
    const char *wrong = trace_lanes_make(&lanes, &timeline, &begin_ns);
    int code = SAY_FAILED;

    if (wrong == NULL) {
        code = keep_timeline(watch, &timeline, begin_ns - lanes.trace->trigger_ns);
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

    for (unsigned i = 0; i < options->output.count; i++) {
        const char *path = options->output.items[i];

        if (!ends_with(path, ".vcd") && !ends_with(path, ".json")) {
            return say_usage("trace", "-o %s: expected a name that ends in .vcd or .json", path);
        }
    }
    return watch_run(&watch, target);
}

/* ---- pulses of a file ------------------------------------------------------------------ */

static int show_vcd(const struct vcd *vcd, const char *path, const char *json) {
    struct result result;
    int code = SAY_DONE;

    result_begin(&result, path, "trace");
    json_object_set_new(result.result, "trace", trace_describe_vcd(vcd));
    result_finish(&result);
    if (json == NULL || strcmp(json, "-") != 0) {
        render_trace(result.root, stdout);
    }
    if (json != NULL && result_write(result.root, json) != 0) {
        code = SAY_FAILED;
    }
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

/* ---- the command ----------------------------------------------------------------------- */

static int run(const void *ctx, const struct opt_list *operands) {
    const struct options *options = ctx;

    if ((operands->count == 1) == (options->from != NULL)) {
        return say_usage("trace", "expected either a TARGET or --from FILE");
    }
    if (options->from != NULL) {
        return read_pulses(options->from, options->watch.json);
    }
    return signals_exit(trace_target(options, operands->items[0]));
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
             "GTKWave and PulseView open FILE.vcd; ui.perfetto.dev and chrome://tracing open\n"
             "FILE.json. `cpu` says in which layer the processor is, `call` which layers'\n"
             "calls are open, `wire` what is on the wire: docs/trace.md. --from counts the\n"
             "pulses in a file that a logic analyser exported.\n"
             "Loads: " LOAD_NAMES ".",
    .run = run,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* cmd_kernels.c - what checksum and copy routines take, every one proved first. */
#include <string.h>

#include "commands.h"
#include "kernels.h"
#include "kernels_result.h"
#include "nd/error.h"
#include "render.h"
#include "result.h"
#include "say.h"
#include "signals.h"

struct options {
    struct opt_list what;
    bool prove;
    bool instructions;
    const char *json;
    const char *firmware;
};

#define AT(member) offsetof(struct options, member)

static const struct opt rows[] = {
    OPT_ROW_LIST(0, "what", "KIND", AT(what),
                 "only checksum, copy, copy-checksum, fifo-read16 ..."),
    OPT_ROW_FLAG(0, "prove", AT(prove), "compare every length and alignment; time nothing"),
    OPT_ROW_FLAG(0, "instructions", AT(instructions), "count instructions instead of cycles"),
    OPT_ROW_TEXT(0, "json", "FILE", AT(json), "write the result document, - = stdout"),
    OPT_ROW_TEXT(0, "firmware", "FILE", AT(firmware), "image of the board"),
    OPT_ROW_END,
};

/* Lengths that are timed [byte]: headers, small messages, what a datagram must at least fit, the
 * segments of an Ethernet, a page. */
static const size_t lengths[] = {1,   2,   4,   8,   16,   20,   40,   64,
                                 128, 256, 512, 576, 1024, 1460, 1500, 4096};

/* Addresses that are timed, modulo a word of 32 bits; and that are proved. */
enum { TIMED_ALIGNS = 4 };

/* The longest piece that is proved [byte]: beyond a frame. */
enum { PROVED_BYTES = 2100 };

/* One run of the command. */
struct run {
    const struct options *options;
    struct kernels kernels;
    struct result result;
    json_t *object; /* result.kernels */
    unsigned wrong; /* routines that differ from the reference */
};

static bool is_wanted(const struct options *options, const struct kernels_row *row) {
    const struct opt_list *what = &options->what;

    /* The reference needs no proof, and those of others are not ours to prove. */
    if (options->prove && (!row->ours || strcmp(row->name, "ref") == 0)) {
        return false;
    }
    for (unsigned i = 0; i < what->count; i++) {
        if (strcmp(what->items[i], row->what) == 0) {
            return true;
        }
    }
    return what->count == 0;
}

static bool starts(const char *text, const char *with) {
    return strncmp(text, with, strlen(with)) == 0;
}

/* Alignments that matter to a routine: a checksum stores nothing, a FIFO is one address. */
static unsigned src_aligns(const struct kernels_row *row, unsigned most) {
    return starts(row->what, "fifo-read") ? 1 : most;
}

static unsigned dst_aligns(const struct kernels_row *row, unsigned most) {
    return starts(row->what, "fifo-write") || strcmp(row->what, "checksum") == 0 ? 1 : most;
}

/* A routine that is wrong is told of and has no times. */
static void tell_wrong(struct run *run, const struct kernels_row *row, json_t *routine,
                       const struct nd_kernel_case *at, int32_t wrong) {
    run->wrong++;
    result_text(routine, "status", "failed");
    result_value(routine, "wrong_bytes", wrong);
    say_error("%s %s: differs from the reference for %d byte (addresses modulo 8: from %u to %u)",
              row->what, row->name, (int)wrong, at->src_align, at->dst_align);
}

/* ---- one routine ---- */

static int time_lengths(struct run *run, unsigned index, json_t *routine,
                        struct nd_kernel_case *at) {
    struct kernels *kernels = &run->kernels;
    const struct kernels_row *row = &kernels->rows[index];
    struct kernels_time time;
    int32_t wrong;

    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        int result;

        at->len = lengths[i];
        result = kernels->place->time(kernels, index, at, &time, &wrong);
        if (result != ND_OK) {
            return result;
        }
        if (wrong >= 0) {
            tell_wrong(run, row, routine, at, wrong);
            return ND_EOF;
        }
        kernels_add_case(kernels, routine, at, &time);
    }
    return ND_OK;
}

static int prove_lengths(struct run *run, unsigned index, json_t *routine,
                         struct nd_kernel_case *at) {
    struct kernels *kernels = &run->kernels;
    int32_t wrong;
    int result;

    at->len = PROVED_BYTES;
    result = kernels->place->prove(kernels, index, at, &wrong);
    if (result == ND_OK && wrong >= 0) {
        tell_wrong(run, &kernels->rows[index], routine, at, wrong);
        return ND_EOF;
    }
    return result;
}

/* Every pair of alignments. ND_OK also when it was found wrong; an error ends the run. */
static int try_routine(struct run *run, unsigned index) {
    const struct kernels_row *row = &run->kernels.rows[index];
    unsigned most = run->options->prove ? ND_KERNEL_ALIGNS : TIMED_ALIGNS;
    json_t *routine = json_object();
    struct nd_kernel_case at = {0};
    int result = ND_OK;

    say_progress("%s %s", row->what, row->name);
    json_array_append_new(json_object_get(run->object, "routines"), routine);
    result_text(routine, "what", row->what);
    result_text(routine, "name", row->name);
    result_text(routine, "status", "ok");
    json_object_set_new(routine, "ours", json_boolean(row->ours));
    json_object_set_new(routine, "cases", json_array());
    for (; result == ND_OK && at.src_align < src_aligns(row, most); at.src_align++) {
        for (at.dst_align = 0; result == ND_OK && at.dst_align < dst_aligns(row, most);
             at.dst_align++) {
            result = run->options->prove ? prove_lengths(run, index, routine, &at)
                                         : time_lengths(run, index, routine, &at);
        }
    }
    if (result == ND_EOF) {
        json_array_clear(json_object_get(routine, "cases"));
        return ND_OK;
    }
    return result;
}

/* ---- the run ---- */

static int try_all(struct run *run) {
    for (unsigned i = 0; i < run->kernels.count; i++) {
        int result = is_wanted(run->options, &run->kernels.rows[i]) ? try_routine(run, i) : ND_OK;

        if (result == ND_OK && signals_caught() != 0) {
            result = target_fail(&run->kernels.target, ND_E_STOPPED, "interrupted");
        }
        if (result != ND_OK) {
            say_progress("%s", "");
            say_error("%s", run->kernels.target.error);
            return SAY_FAILED;
        }
    }
    say_progress("%s", "");
    return run->wrong > 0 ? SAY_FAILED : SAY_DONE;
}

static int show(struct run *run) {
    const char *json = run->options->json;

    result_finish(&run->result);
    if (json == NULL || strcmp(json, "-") != 0) {
        render_kernels(run->result.root, stdout);
    }
    return json != NULL && result_write(run->result.root, json) != 0 ? SAY_FAILED : SAY_DONE;
}

static int measure(struct run *run, const struct target_cfg *cfg) {
    int code, shown;

    run->object = json_object();
    json_object_set_new(run->result.result, "kernels", run->object);
    json_object_set_new(run->object, "routines", json_array());
    code = try_all(run);
    result_text(run->object, "tick", run->kernels.tick != NULL ? run->kernels.tick : "unknown");
    if (run->options->prove) {
        result_value(run->object, "proved_bytes", PROVED_BYTES);
    } else {
        result_value(run->object, "clock_hz", (int64_t)run->kernels.hz);
        kernels_judge(run->object);
    }
    kernels_describe(&run->kernels, cfg, run->result.result);
    run->kernels.place->close(&run->kernels);
    if (code == SAY_FAILED && run->wrong == 0) {
        return code;
    }
    shown = show(run);
    return code == SAY_DONE ? shown : code;
}

static int refuse_what(const struct run *run) {
    for (unsigned i = 0; i < run->options->what.count; i++) {
        bool found = false;

        for (unsigned k = 0; k < run->kernels.count; k++) {
            found |= strcmp(run->options->what.items[i], run->kernels.rows[k].what) == 0;
        }
        if (!found) {
            return say_usage("kernels", "--what %s: the target has no such routine",
                             run->options->what.items[i]);
        }
    }
    return SAY_DONE;
}

static int run_target(struct run *run, const char *name) {
    const struct target_cfg cfg = {
        .name = name,
        .firmware = run->options->firmware,
        .time = run->options->instructions ? TARGET_TIME_INSTRUCTIONS : TARGET_TIME_BEST,
    };
    bool here = target_find(name) == &target_local;
    int result = here ? kernels_open_host(&run->kernels) : kernels_open_device(&run->kernels, &cfg);

    if (result == ND_E_ARG) {
        return say_usage("kernels", "%s", run->kernels.target.error);
    }
    if (result != ND_OK) {
        say_error("%s", run->kernels.target.error);
        return SAY_FAILED;
    }
    if (refuse_what(run) != SAY_DONE) {
        run->kernels.place->close(&run->kernels);
        return SAY_USAGE;
    }
    return measure(run, &cfg);
}

static int run(const void *ctx, const struct opt_list *operands) {
    static struct run run; /* large, and there is one */
    int code;

    run = (struct run){.options = ctx};
    if (target_find(operands->items[0]) == NULL) {
        return say_usage("kernels", "unknown target %s, expected one of: %s", operands->items[0],
                         TARGET_FORMS);
    }
    result_begin(&run.result, operands->items[0], "kernels");
    code = run_target(&run, operands->items[0]);
    result_end(&run.result);
    return signals_exit(code);
}

const struct command cmd_kernels = {
    .name = "kernels",
    .summary = "Prove and time checksum and copy routines",
    .operands = "TARGET",
    .operands_min = 1,
    .operands_max = 1,
    .options = rows,
    .options_size = sizeof(struct options),
    .notes = "The target is sim:kernels@BOARD, another device with the console command\n"
             "`kernels`, or local: for this machine. Beside the routines of this project are\n"
             "those of the C library and of lwIP. One that is wrong has no time.",
    .run = run,
};

/* SPDX-License-Identifier: BSD-3-Clause */
#include "matrix_cells.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "image_build.h"
#include "result.h"
#include "say.h"
#include "signals.h"

/* How often the children are looked at [us]. */
#define LOOK_US 20000

/* Words of a child's command line, at most. */
#define WORDS (16 + 2 * OPT_ITEMS)

/* One matrix at work. */
struct work {
    const struct matrix_cells *cells;
    char dir[PATH_MAX];           /* of the children's files, gone at the end */
    pid_t children[MATRIX_CELLS]; /* by cell; 0 = not running */
    unsigned running;
    unsigned finished;
};

/* A file of one cell: "json", its document; "error", its last words. */
static void name_file(const struct work *work, unsigned cell, const char *kind,
                      char path[PATH_MAX]) {
    snprintf(path, PATH_MAX, "%.4000s/%u.%s", work->dir, cell, kind);
}

/* ---- a child --------------------------------------------------------------------------- */

/* "KEY=VALUE" of every axis, and the options that do not vary. */
static void gather_options(const struct matrix_cells *cells, unsigned cell,
                           struct image_build *build, char texts[MATRIX_AXES][256]) {
    for (unsigned i = 0; i < cells->grid->count; i++) {
        snprintf(texts[i], 256, "%s=%s", cells->grid->axes[i].key,
                 matrix_grid_value(cells->grid, cell, i));
        build->options[build->count++] = texts[i];
    }
    for (unsigned i = 0; i < cells->with->count; i++) {
        build->options[build->count++] = cells->with->items[i];
    }
}

/* Become `netdyno run` of this image. */
static void become_run(const struct work *work, unsigned cell, const char *image) {
    const struct matrix_cells *cells = work->cells;
    char document[PATH_MAX];
    char *argv[WORDS] = {"netdyno",           "run",         (char *)cells->target,
                         "--firmware",        (char *)image, "--plan",
                         (char *)cells->plan, "--json",      document};
    unsigned count = 9;
    int null = open("/dev/null", O_WRONLY);

    name_file(work, cell, "json", document);
    for (unsigned i = 0; i < cells->set->count; i++) {
        argv[count++] = "--set";
        argv[count++] = (char *)cells->set->items[i];
    }
    argv[count] = NULL;
    if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0) {
        execv("/proc/self/exe", argv);
    }
}

/* Build the image, then run it. What goes wrong is said on stderr, which is the cell's file. */
static void work_on(const struct work *work, unsigned cell) {
    const struct matrix_cells *cells = work->cells;
    char texts[MATRIX_AXES][256];
    struct image_build build = {.image = cells->image,
                                .board = cells->board,
                                .source = cells->source,
                                .cache = cells->cache,
                                .jobs = 1};
    char image[PATH_MAX], error[512];

    gather_options(cells, cell, &build, texts);
    if (!image_build(&build, image, error, sizeof error)) {
        say_error("%s", error);
        return;
    }
    become_run(work, cell, image);
}

static void become_worker(const struct work *work, unsigned cell, pid_t parent) {
    char path[PATH_MAX];
    int error;

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    name_file(work, cell, "error", path);
    error = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (getppid() == parent && error >= 0 && dup2(error, STDERR_FILENO) >= 0) {
        work_on(work, cell);
    }
    _exit(SAY_FAILED);
}

/* ---- all children -------------------------------------------------------------------------- */

static void start(struct work *work, unsigned cell) {
    pid_t parent = getpid();
    pid_t child = fork();

    if (child == 0) {
        become_worker(work, cell, parent);
    }
    if (child > 0) {
        work->children[cell] = child;
        work->running++;
    }
}

/* Take note of those that have ended. */
static void reap(struct work *work) {
    for (unsigned i = 0; i < work->cells->grid->cells; i++) {
        if (work->children[i] > 0 && waitpid(work->children[i], NULL, WNOHANG) != 0) {
            work->children[i] = 0;
            work->running--;
            work->finished++;
        }
    }
}

static void tell_children(const struct work *work, int signal_number) {
    for (unsigned i = 0; i < work->cells->grid->cells; i++) {
        if (work->children[i] > 0) {
            kill(work->children[i], signal_number);
        }
    }
}

static void work_all(struct work *work) {
    unsigned next = 0;
    bool told = false;

    for (;;) {
        while (signals_caught() == 0 && work->running < work->cells->jobs &&
               next < work->cells->grid->cells) {
            start(work, next++);
        }
        if (signals_caught() != 0 && !told) {
            tell_children(work, SIGTERM);
            told = true;
        }
        reap(work);
        if (work->running == 0 && (next == work->cells->grid->cells || signals_caught() != 0)) {
            break;
        }
        say_progress("%u of %u cells", work->finished, work->cells->grid->cells);
        usleep(LOOK_US);
    }
    say_progress("%s", "");
}

/* ---- what they found ----------------------------------------------------------------------- */

static json_t *describe_options(const struct work *work, unsigned cell) {
    json_t *options = json_object();

    for (unsigned i = 0; i < work->cells->grid->count; i++) {
        result_text(options, work->cells->grid->axes[i].key,
                    matrix_grid_value(work->cells->grid, cell, i));
    }
    return options;
}

/* The last line a child said; "interrupted" when there is none. */
static void take_reason(const struct work *work, unsigned cell, json_t *object) {
    static const char own[] = "netdyno: ";
    char path[PATH_MAX], line[512], last[512] = "interrupted";
    const char *reason = last;
    FILE *file;

    name_file(work, cell, "error", path);
    file = fopen(path, "r");
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] != '\0') {
            memcpy(last, line, sizeof last);
        }
    }
    if (file != NULL) {
        fclose(file);
    }
    if (strncmp(last, own, sizeof own - 1) == 0) {
        reason += sizeof own - 1;
    }
    result_text(object, "status", "failed");
    result_text(object, "reason", reason);
}

/* The steps with figures of a child's document. */
static json_t *take_steps(const json_t *document) {
    json_t *steps = json_array();
    size_t index;
    json_t *step;

    json_array_foreach(json_object_get(json_object_get(document, "result"), "steps"), index, step) {
        if (json_object_get(step, "goodput_bit_s") != NULL) {
            json_array_append(steps, step);
        }
    }
    return steps;
}

static bool all_ok(const json_t *document) {
    const json_t *steps = json_object_get(json_object_get(document, "result"), "steps");
    size_t index;
    json_t *step;

    json_array_foreach((json_t *)steps, index, step) {
        const char *status = json_string_value(json_object_get(step, "status"));
        if (status == NULL || strcmp(status, "ok") != 0) {
            return false;
        }
    }
    return json_array_size(steps) > 0;
}

/* Flash and RAM, as the document has them. */
static void take_sizes(const json_t *document, json_t *object) {
    static const char *const keys[] = {"flash_bytes", "ram_bytes"};
    const json_t *firmware = json_object_get(json_object_get(document, "result"), "firmware");

    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        json_t *value = json_object_get(firmware, keys[i]);
        if (value != NULL) {
            json_object_set(object, keys[i], value);
        } else {
            result_absent(object, keys[i], "not_built");
        }
    }
}

static json_t *describe(const struct work *work, unsigned cell) {
    json_t *object = json_object();
    char path[PATH_MAX];
    json_t *document;

    json_object_set_new(object, "options", describe_options(work, cell));
    name_file(work, cell, "json", path);
    document = json_load_file(path, 0, NULL);
    if (document != NULL && all_ok(document)) {
        result_text(object, "status", "ok");
    } else {
        take_reason(work, cell, object);
    }
    take_sizes(document, object);
    json_object_set_new(object, "steps", take_steps(document));
    json_decref(document);
    return object;
}

static void remove_files(const struct work *work) {
    static const char *const kinds[] = {"json", "error"};
    char path[PATH_MAX];

    for (unsigned i = 0; i < work->cells->grid->cells; i++) {
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            name_file(work, i, kinds[k], path);
            unlink(path);
        }
    }
    rmdir(work->dir);
}

json_t *matrix_cells_measure(const struct matrix_cells *cells) {
    static struct work work; /* large, and there is one at a time */
    const char *temporary = getenv("TMPDIR");
    json_t *array;

    work = (struct work){.cells = cells};
    snprintf(work.dir, sizeof work.dir, "%s/netdyno-matrix-XXXXXX",
             temporary != NULL ? temporary : "/tmp");
    if (mkdtemp(work.dir) == NULL) {
        say_error("cannot make %s: %s", work.dir, strerror(errno));
        return NULL;
    }
    work_all(&work);
    array = json_array();
    for (unsigned i = 0; i < cells->grid->cells; i++) {
        json_array_append_new(array, describe(&work, i));
    }
    remove_files(&work);
    return array;
}

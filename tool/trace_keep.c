/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace_keep.h"

#include <string.h>

#include "chrome_writer.h"
#include "say.h"
#include "trace_result.h"
#include "vcd_writer.h"
#include "waves.h"

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text);

    return length > strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

bool trace_names_ok(const struct opt_list *output) {
    for (unsigned i = 0; i < output->count; i++) {
        const char *path = output->items[i];

        if (!ends_with(path, ".vcd") && !ends_with(path, ".json")) {
            say_usage("trace", "-o %s: expected a name that ends in .vcd or .json", path);
            return false;
        }
    }
    return true;
}

static int write_files(const struct timeline *timeline, const struct waves *waves,
                       const char *about, const struct opt_list *output) {
    for (unsigned i = 0; i < output->count; i++) {
        const char *path = output->items[i];
        int result = ends_with(path, ".vcd") ? vcd_write(timeline, waves, about, path)
                                             : chrome_write(timeline, about, path);

        if (result != 0) {
            return SAY_FAILED;
        }
    }
    return SAY_DONE;
}

int trace_keep(const struct timeline *timeline, const char *about, const struct opt_list *output,
               json_t *result) {
    struct waves waves;
    json_t *object = NULL;
    int code = SAY_FAILED;

    if (waves_make(&waves, timeline) == 0) {
        object = trace_describe(timeline, &waves);
    }
    if (object != NULL) {
        json_object_set_new(result, "trace", object);
        code = write_files(timeline, &waves, about, output);
    } else {
        say_error("out of memory");
    }
    waves_free(&waves);
    return code;
}

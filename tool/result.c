/* SPDX-License-Identifier: BSD-3-Clause */
#include "result.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "nd/fmt.h"
#include "nd/memory.h"
#include "say.h"
#include "version.h"

/* Digits of a real number: three decimals of any value that occurs, and no noise behind. */
#define DUMP_FLAGS (JSON_INDENT(2) | JSON_REAL_PRECISION(15))

static uint64_t wall_ns(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void add_date(json_t *meta) {
    char text[32];
    time_t now = time(NULL);
    struct tm utc;

    gmtime_r(&now, &utc);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    result_text(meta, "date", text);
}

static void add_host(json_t *meta) {
    struct utsname name;

    if (uname(&name) != 0) {
        result_absent(meta, "host", "not_supported");
        return;
    }
    result_text(meta, "host", name.nodename);
    result_text(meta, "host_system", name.sysname);
    result_text(meta, "host_release", name.release);
    result_text(meta, "host_machine", name.machine);
}

void result_begin(struct result *out, const char *target, const char *plan) {
    out->root = json_object();
    out->result = json_object();
    out->meta = json_object();
    out->steps = json_array();
    out->began_ns = wall_ns();
    json_object_set_new(out->root, "netdyno", json_integer(RESULT_FORMAT));
    json_object_set_new(out->root, "result", out->result);
    json_object_set_new(out->root, "meta", out->meta);
    result_text(out->result, "target", target);
    result_text(out->result, "plan", plan);
    json_object_set_new(out->result, "steps", out->steps);
    result_text(out->meta, "netdyno_version", nd_version);
    add_date(out->meta);
    add_host(out->meta);
}

void result_finish(struct result *out) {
    result_value(out->meta, "wall_ns", (int64_t)(wall_ns() - out->began_ns));
}

int result_write(const json_t *document, const char *path) {
    bool standard = strcmp(path, "-") == 0;
    FILE *file = standard ? stdout : fopen(path, "w");
    int failed;

    if (file == NULL) {
        say_error("cannot write %s: %s", path, strerror(errno));
        return -1;
    }
    errno = 0;
    failed = json_dumpf(document, file, DUMP_FLAGS) != 0 || fputc('\n', file) == EOF;
    if (standard) {
        failed |= fflush(file) != 0;
    } else {
        failed |= fclose(file) != 0;
    }
    if (failed) {
        say_error("cannot write %s: %s", path, errno != 0 ? strerror(errno) : "out of memory");
        return -1;
    }
    return 0;
}

void result_end(struct result *out) {
    json_decref(out->root);
    *out = (struct result){0};
}

void result_value(json_t *object, const char *key, int64_t value) {
    if (value >= 0) {
        json_object_set_new(object, key, json_integer(value));
    } else {
        const char *reason = nd_absent_name(value);
        result_absent(object, key, reason != NULL ? reason : "not_supported");
    }
}

void result_text(json_t *object, const char *key, const char *text) {
    json_object_set_new(object, key, json_string(text));
}

void result_absent(json_t *object, const char *key, const char *reason) {
    json_t *absent = json_object_get(object, "absent");

    if (absent == NULL) {
        absent = json_object();
        json_object_set_new(object, "absent", absent);
    }
    json_object_set_new(absent, key, json_string(reason));
}

static bool is_absence(const json_t *value) {
    const char *text = json_string_value(value);

    for (int64_t reason = ND_NO_SAMPLES; text != NULL && reason <= ND_NOT_BUILT; reason++) {
        if (strcmp(text, nd_absent_name(reason)) == 0) {
            return true;
        }
    }
    return false;
}

void result_take(json_t *object, const char *key, json_t *value) {
    if (value == NULL) {
        result_absent(object, key, "no_report");
    } else if (is_absence(value)) {
        result_absent(object, key, json_string_value(value));
    } else {
        json_object_set(object, key, value);
    }
}

void result_take_item(json_t *object, const json_t *item) {
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)item, key, value) {
        if (strcmp(key, "id") == 0 || strcmp(key, "kind") == 0) {
            continue;
        }
        result_take(object, key, value);
    }
}

void result_ratio(json_t *object, const char *key, uint64_t numerator, uint64_t denominator) {
    if (denominator == 0) {
        result_absent(object, key, "no_samples");
        return;
    }
    json_object_set_new(object, key,
                        json_real((double)nd_fmt_muldiv(numerator, 1000, denominator) / 1000.0));
}

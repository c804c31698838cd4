/* SPDX-License-Identifier: BSD-3-Clause */
#include "render_memory.h"

#include <stdbool.h>
#include <string.h>

/* The element of an array that has this name; NULL when there is none. */
static const json_t *find_named(const json_t *array, const char *name) {
    size_t index;
    json_t *item;

    json_array_foreach(array, index, item) {
        const char *found = json_string_value(json_object_get(item, "name"));
        if (found != NULL && strcmp(found, name) == 0) {
            return item;
        }
    }
    return NULL;
}

static void cell(const json_t *object, const char *key, int width, FILE *out) {
    const json_t *value = json_object_get(object, key);

    if (json_is_integer(value)) {
        fprintf(out, "%*" JSON_INTEGER_FORMAT, width, json_integer_value(value));
    } else {
        fprintf(out, "%*s", width, "-");
    }
}

static void render_pools(const json_t *before, const json_t *after, FILE *out) {
    size_t index;
    json_t *pool;

    if (json_array_size(after) == 0) {
        return;
    }
    fprintf(out, "\n%-24s%10s%8s%9s%9s%10s%10s\n", "Memory", "byte each", "total", "at idle", "now",
            "most used", "failures");
    json_array_foreach(after, index, pool) {
        const char *name = json_string_value(json_object_get(pool, "name"));

        if (name == NULL) {
            continue;
        }
        fprintf(out, "  %-22.22s", name);
        cell(pool, "element_bytes", 10, out);
        cell(pool, "total", 8, out);
        cell(find_named(before, name), "used", 9, out);
        cell(pool, "used", 9, out);
        cell(pool, "used_max", 10, out);
        cell(pool, "failures", 10, out);
        fputc('\n', out);
    }
}

static void render_stacks(const json_t *stacks, FILE *out) {
    size_t index;
    json_t *stack;

    if (json_array_size(stacks) == 0) {
        return;
    }
    fprintf(out, "\n%-24s%10s%8s%9s%9s%10s\n", "Stack", "", "byte", "", "now", "most used");
    json_array_foreach(stacks, index, stack) {
        const char *name = json_string_value(json_object_get(stack, "name"));

        fprintf(out, "  %-22.22s%10s", name != NULL ? name : "-", "");
        cell(stack, "total_bytes", 8, out);
        fprintf(out, "%9s", "");
        cell(stack, "used_bytes", 9, out);
        cell(stack, "used_max_bytes", 10, out);
        fputc('\n', out);
    }
}

/* Free heap while memtest ran, as its origin reported it. */
void render_heap(const json_t *steps, FILE *out) {
    bool begun = false;
    size_t index;
    json_t *step;

    json_array_foreach(steps, index, step) {
        const json_t *heap = json_object_get(step, "heap_free");
        if (heap == NULL) {
            continue;
        }
        if (!begun) {
            fprintf(out, "\n%-32s%12s%12s%12s%12s\n", "Free heap in memory test [byte]", "now",
                    "least", "most", "average");
            begun = true;
        }
        fprintf(out, "  %-30.30s", json_string_value(json_object_get(step, "step")));
        cell(heap, "now_bytes", 12, out);
        cell(heap, "min_bytes", 12, out);
        cell(heap, "max_bytes", 12, out);
        cell(heap, "average_bytes", 12, out);
        fputc('\n', out);
    }
}

static void render_gap(const json_t *metrics, const char *key, const char *title, FILE *out) {
    const json_t *gap = json_object_get(metrics, key);
    const json_t *p99_ns = json_object_get(gap, "p99_ns"), *max_ns = json_object_get(gap, "max_ns");

    if (json_is_integer(p99_ns) && json_is_integer(max_ns)) {
        fprintf(out, "  %-34s p99 below%11.1f    most%12.1f\n", title,
                (double)json_integer_value(p99_ns) / 1e3, (double)json_integer_value(max_ns) / 1e3);
    }
}

static void render_metrics(const json_t *metrics, FILE *out) {
    const char *pool = json_string_value(json_object_get(metrics, "first_failure_pool"));

    if (metrics == NULL) {
        return;
    }
    fprintf(out, "\nThe device's main loop [us]\n");
    render_gap(metrics, "poll_gap", "work between two polls", out);
    render_gap(metrics, "progress_gap", "between two progresses of a test", out);
    if (pool != NULL) {
        fprintf(out, "  first allocation failure: %s, %.6f s after its start\n", pool,
                json_number_value(json_object_get(metrics, "first_failure_ns")) / 1e9);
    }
}

static void render_absent(const json_t *step, const char *key, const char *title, FILE *out) {
    const char *reason = json_string_value(json_object_get(json_object_get(step, "absent"), key));

    if (reason != NULL) {
        fprintf(out, "%s: %s\n", title, reason);
    }
}

void render_memory(const json_t *idle, const json_t *end, FILE *out) {
    const json_t *latest = json_object_get(end, "pools") != NULL ? end : idle;

    render_pools(json_object_get(idle, "pools"), json_object_get(latest, "pools"), out);
    render_stacks(json_object_get(latest, "stacks"), out);
    if (json_object_get(latest, "absent") != NULL) {
        fputc('\n', out);
    }
    render_absent(latest, "pools", "Memory", out);
    render_absent(latest, "stacks", "Stack", out);
    render_metrics(json_object_get(end, "metrics"), out);
}

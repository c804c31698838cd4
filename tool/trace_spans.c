/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace_spans.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "nd/clock.h"
#include "nd/span.h"

static const char no_memory[] = "out of memory";
static const char no_sense[] = "the device's `spans` are of no known form";

/* Where what an id stands for is. */
struct place {
    uint32_t signal; /* plus 1; 0 = none yet */
    int64_t open;    /* the slice that began last and has not ended, plus 1; 0 = none */
};

struct builder {
    struct timeline *timeline;
    struct place spans[ND_SPAN_ID + 1];
    struct place tasks[ND_SPAN_ID + 1];
    int64_t *outer; /* by slice: the one of the same id that was open before, plus 1 */
    struct place *running;
    uint64_t hz;
    uint64_t ticks;
    uint64_t now_ns;
};

/* A line of an event. */
struct event {
    json_t *line;
    const char *kind;
    uint32_t id;
};

/* The next event; line 0 is none. */
static bool read_event(json_t *line, struct event *event) {
    json_int_t id = json_integer_value(json_object_get(line, "span"));

    *event = (struct event){.line = line,
                            .kind = json_string_value(json_object_get(line, "event")),
                            .id = (uint32_t)id};
    return event->kind != NULL && json_is_integer(json_object_get(line, "span")) && id >= 0 &&
           id <= (json_int_t)ND_SPAN_ID;
}

static bool is_task(const struct event *event) {
    return strcmp(event->kind, "task") == 0;
}

/* ---- signals ---- */

/* The device's name, or the id. */
static const char *name_of(const struct event *event) {
    if (!json_is_string(json_object_get(event->line, "name"))) {
        json_object_set_new(event->line, "name", json_sprintf("%u", (unsigned)event->id));
    }
    return json_string_value(json_object_get(event->line, "name"));
}

/* Add the signals of one scope, in the order in which they are met. */
static const char *add_signals(struct builder *builder, json_t *lines, bool tasks) {
    for (size_t i = 1; i < json_array_size(lines); i++) {
        struct event event;
        struct place *place;
        int signal;

        if (!read_event(json_array_get(lines, i), &event)) {
            return no_sense;
        }
        place = tasks ? &builder->tasks[event.id] : &builder->spans[event.id];
        if (is_task(&event) != tasks || place->signal != 0) {
            continue;
        }
        signal = timeline_add_signal(builder->timeline, tasks ? "task" : "span", name_of(&event));
        if (signal < 0) {
            return no_memory;
        }
        place->signal = (uint32_t)signal + 1;
    }
    return NULL;
}

/* ---- slices ---- */

static bool begin(struct builder *builder, struct place *place, uint64_t from_ns) {
    const struct timeline_signal *signal = &builder->timeline->signals[place->signal - 1];
    const struct timeline_slice slice = {.begin_ns = from_ns,
                                         .end_ns = UINT64_MAX,
                                         .signal = place->signal - 1,
                                         .name = signal->name};
    int64_t index = timeline_add_slice(builder->timeline, &slice);

    if (index < 0) {
        return false;
    }
    builder->outer[index] = place->open;
    place->open = index + 1;
    return true;
}

/* One that is over without a begin began before the record. */
static bool end(struct builder *builder, struct place *place) {
    if (place->open == 0 && !begin(builder, place, 0)) {
        return false;
    }
    builder->timeline->slices[place->open - 1].end_ns = builder->now_ns;
    place->open = builder->outer[place->open - 1];
    return true;
}

static bool run_task(struct builder *builder, struct place *place) {
    if (builder->running == place) {
        return true;
    }
    if (builder->running != NULL) {
        end(builder, builder->running);
    }
    builder->running = place;
    return begin(builder, place, builder->now_ns);
}

static const char *take_event(struct builder *builder, const struct event *event) {
    json_int_t delta = json_integer_value(json_object_get(event->line, "delta_ticks"));
    struct place *span = &builder->spans[event->id];
    bool done;

    if (delta < 0 || delta > UINT32_MAX) {
        return no_sense;
    }
    builder->ticks += (uint64_t)delta;
    builder->now_ns = nd_clock_ns(builder->ticks, (uint32_t)builder->hz);
    if (is_task(event)) {
        done = run_task(builder, &builder->tasks[event->id]);
    } else if (strcmp(event->kind, "begin") == 0) {
        done = begin(builder, span, builder->now_ns);
    } else if (strcmp(event->kind, "end") == 0) {
        done = end(builder, span);
    } else {
        return no_sense;
    }
    return done ? NULL : no_memory;
}

static const char *take_events(struct builder *builder, json_t *lines) {
    const char *wrong = NULL;

    for (size_t i = 1; i < json_array_size(lines) && wrong == NULL; i++) {
        struct event event;

        wrong =
            read_event(json_array_get(lines, i), &event) ? take_event(builder, &event) : no_sense;
    }
    builder->timeline->length_ns = builder->now_ns;
    for (size_t i = 0; i < builder->timeline->slice_count; i++) {
        struct timeline_slice *slice = &builder->timeline->slices[i];

        slice->end_ns = slice->end_ns < builder->now_ns ? slice->end_ns : builder->now_ns;
    }
    return wrong;
}

/* ---- the whole ---- */

static const char *build(struct builder *builder, json_t *lines) {
    json_int_t hz = json_integer_value(json_object_get(json_array_get(lines, 0), "clock_hz"));
    const char *wrong;

    if (hz <= 0 || hz > UINT32_MAX) {
        return no_sense;
    }
    builder->hz = (uint64_t)hz;
    builder->outer = calloc(json_array_size(lines) + 1, sizeof *builder->outer);
    if (builder->outer == NULL) {
        return no_memory;
    }
    wrong = add_signals(builder, lines, false);
    if (wrong == NULL) {
        wrong = add_signals(builder, lines, true);
    }
    if (wrong == NULL) {
        wrong = take_events(builder, lines);
    }
    timeline_sort(builder->timeline);
    return wrong;
}

const char *trace_spans_make(json_t *lines, struct timeline *timeline) {
    struct builder *builder = calloc(1, sizeof *builder);
    const char *wrong = no_memory;

    *timeline = (struct timeline){0};
    if (builder != NULL) {
        builder->timeline = timeline;
        wrong = build(builder, lines);
        free(builder->outer);
    }
    free(builder);
    if (wrong == NULL && timeline->signal_count == 0) {
        wrong = "the device recorded no mark";
    }
    return wrong;
}

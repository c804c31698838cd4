/* SPDX-License-Identifier: BSD-3-Clause */
#include "trace_lanes.h"

#include <stdlib.h>
#include <string.h>

#include "nd/clock.h"
#include "packet.h"

/* Calls that are open at once, at most: as many as the plugin follows. */
enum { DEPTH_MAX = 512 };

static const char no_memory[] = "out of memory";

/* A call that has not returned. */
struct open_call {
    uint32_t function;
    int64_t slice; /* -1 = it is none of the table's, and has none */
};

struct builder {
    const struct trace_lanes *in;
    struct timeline *timeline;
    uint32_t lane_count;
    uint32_t *lane_of; /* by function */
    uint32_t first_call_signal;
    uint32_t first_wire_signal;
    struct open_call open[DEPTH_MAX];
    uint32_t open_count;
    int64_t run; /* the slice of scope cpu that is open; -1 = none */
    uint64_t idle_ticks;
    uint32_t waits_taken;
    uint64_t latest_ns; /* time runs never back */
    uint64_t begin_ns;  /* of the window */
    uint64_t end_ns;
    bool failed;
};

/* ---- signals ---- */

/* The lane of a layer in scope cpu; a new one if there is none yet. */
static uint32_t lane_of_layer(struct builder *builder, const char *layer) {
    struct timeline *timeline = builder->timeline;

    for (uint32_t i = 0; i < timeline->signal_count; i++) {
        if (strcmp(timeline->signals[i].name, layer) == 0) {
            return i;
        }
    }
    builder->failed |= timeline_add_signal(timeline, "cpu", layer) < 0;
    return (uint32_t)timeline->signal_count - 1;
}

/* The layers in the order of the table, whether or not a function is in them. */
static void find_lanes(struct builder *builder) {
    const struct symbols *symbols = builder->in->symbols;
    const struct layers *layers = builder->in->layers;

    for (size_t i = 0; i < layers->count; i++) {
        lane_of_layer(builder, layers->rules[i].layer);
    }
    for (size_t i = 0; i < symbols->count; i++) {
        builder->lane_of[i + 1] = lane_of_layer(builder, layers_find(layers, &symbols->symbols[i]));
    }
    builder->lane_of[0] = lane_of_layer(builder, LAYER_OTHER);
    builder->lane_count = (uint32_t)builder->timeline->signal_count;
}

static void add_signals(struct builder *builder) {
    struct timeline *timeline = builder->timeline;

    find_lanes(builder);
    builder->failed |= timeline_add_signal(timeline, "cpu", "idle") < 0;
    builder->first_call_signal = (uint32_t)timeline->signal_count;
    for (uint32_t i = 0; i < builder->lane_count && !builder->failed; i++) {
        builder->failed |= timeline_add_signal(timeline, "call", timeline->signals[i].name) < 0;
    }
    builder->first_wire_signal = (uint32_t)timeline->signal_count;
    builder->failed |= timeline_add_signal(timeline, "wire", "to_device") < 0;
    builder->failed |= timeline_add_signal(timeline, "wire", "from_device") < 0;
}

/* ---- slices ---- */

/* A time in the window. */
static uint64_t clip(const struct builder *builder, uint64_t at_ns) {
    if (at_ns < builder->begin_ns) {
        return 0;
    }
    return (at_ns < builder->end_ns ? at_ns : builder->end_ns) - builder->begin_ns;
}

static int64_t begin_slice(struct builder *builder, uint32_t signal, const char *name,
                           uint64_t at_ns) {
    const struct timeline_slice slice = {
        .begin_ns = clip(builder, at_ns), .signal = signal, .name = name};
    int64_t index = timeline_add_slice(builder->timeline, &slice);

    builder->failed |= index < 0;
    return index;
}

static void end_slice(struct builder *builder, int64_t slice, uint64_t at_ns) {
    if (slice >= 0) {
        builder->timeline->slices[slice].end_ns = clip(builder, at_ns);
    }
}

/* From now on the processor is in this lane of scope cpu. */
static void run_lane(struct builder *builder, uint32_t lane, uint64_t at_ns) {
    const struct timeline *timeline = builder->timeline;

    if (builder->run >= 0 && timeline->slices[builder->run].signal == lane) {
        return;
    }
    end_slice(builder, builder->run, at_ns);
    builder->run = begin_slice(builder, lane, timeline->signals[lane].name, at_ns);
}

static void open_call(struct builder *builder, uint32_t function, uint64_t at_ns) {
    struct open_call *call = &builder->open[builder->open_count++];

    *call = (struct open_call){.function = function, .slice = -1};
    if (function > 0) {
        call->slice = begin_slice(builder, builder->first_call_signal + builder->lane_of[function],
                                  builder->in->symbols->symbols[function - 1].label, at_ns);
    }
}

static void close_calls(struct builder *builder, uint32_t count, uint64_t at_ns) {
    while (builder->open_count > count) {
        builder->open_count--;
        end_slice(builder, builder->open[builder->open_count].slice, at_ns);
    }
}

/* ---- changes ---- */

static uint64_t time_of(struct builder *builder, uint64_t cycles) {
    uint64_t at_ns = nd_clock_ns(cycles + builder->idle_ticks, builder->in->hz);

    if (at_ns > builder->latest_ns) {
        builder->latest_ns = at_ns;
    }
    return builder->latest_ns;
}

static void take_change(struct builder *builder, const struct nd_sim_change *change) {
    uint64_t at_ns = time_of(builder, change->cycles);
    uint32_t depth = change->depth;

    close_calls(builder, depth + 1, at_ns);
    if (builder->open_count == depth + 1 && builder->open[depth].function != change->function) {
        close_calls(builder, depth, at_ns);
    }
    if (builder->open_count == depth) {
        open_call(builder, change->function, at_ns);
    }
    run_lane(builder, builder->lane_of[change->function], at_ns);
}

/* A record of the device: it may have waited there. */
static void take_mark(struct builder *builder, const struct nd_sim_change *change) {
    const struct nd_sim_trace *trace = builder->in->trace;
    uint64_t from_ns = time_of(builder, change->cycles);
    uint32_t lane;

    if (builder->waits_taken == trace->wait_count || builder->run < 0 ||
        (uint32_t)trace->waits[builder->waits_taken].mark != change->function) {
        return;
    }
    lane = builder->timeline->slices[builder->run].signal;
    run_lane(builder, builder->lane_count, from_ns);
    builder->idle_ticks += trace->waits[builder->waits_taken++].ticks;
    run_lane(builder, lane, time_of(builder, change->cycles));
}

static const char *take_changes(struct builder *builder) {
    const struct nd_sim_trace *trace = builder->in->trace;

    for (uint32_t i = 0; i < trace->change_count && builder->latest_ns < builder->end_ns; i++) {
        const struct nd_sim_change *change = &trace->changes[i];

        if (change->depth == ND_SIM_MARK) {
            take_mark(builder, change);
        } else if (change->depth > builder->open_count || change->depth >= DEPTH_MAX ||
                   change->function > builder->in->symbols->count) {
            return "the plugin's tape makes no sense";
        } else {
            take_change(builder, change);
        }
        if (builder->failed) {
            return no_memory;
        }
    }
    close_calls(builder, 0, builder->end_ns);
    end_slice(builder, builder->run, builder->end_ns);
    return NULL;
}

/* ---- frames ---- */

static const char *take_frames(struct builder *builder) {
    const struct nd_sim_trace *trace = builder->in->trace;

    for (uint32_t i = 0; i < trace->frame_count; i++) {
        const struct nd_sim_frame *frame = &trace->frames[i];
        struct timeline_slice slice = {
            .begin_ns = clip(builder, frame->begin_ns),
            .end_ns = clip(builder, frame->end_ns),
            .signal = builder->first_wire_signal + (frame->to_device ? 0 : 1),
            .frame = frame,
        };
        const struct packet packet = packet_read(frame->head, sizeof frame->head, frame->bytes);

        slice.name = frame->lost ? "lost" : packet.kind;
        if (slice.end_ns > slice.begin_ns && timeline_add_slice(builder->timeline, &slice) < 0) {
            return no_memory;
        }
    }
    return NULL;
}

/* ---- the whole ---- */

static const char *build(struct builder *builder) {
    const char *wrong;

    add_signals(builder);
    if (builder->failed) {
        return no_memory;
    }
    wrong = take_changes(builder);
    if (wrong == NULL) {
        wrong = take_frames(builder);
    }
    timeline_sort(builder->timeline);
    return wrong;
}

const char *trace_lanes_make(const struct trace_lanes *lanes, struct timeline *timeline,
                             uint64_t *begin_ns) {
    const struct nd_sim_trace *trace = lanes->trace;
    struct builder builder = {
        .in = lanes, .timeline = timeline, .run = -1, .idle_ticks = trace->idle_ticks};
    const char *wrong;

    *timeline = (struct timeline){0};
    if (trace->lost > 0) {
        return "the window holds more changes of function than are kept: make --duration shorter";
    }
    if (trace->change_count == 0) {
        return "nothing was recorded";
    }
    builder.begin_ns = nd_clock_ns(trace->changes[0].cycles + trace->idle_ticks, lanes->hz);
    builder.end_ns = trace->to_ns;
    if (builder.begin_ns >= builder.end_ns) {
        return "no record of the device lies in the window: make --duration longer";
    }
    *begin_ns = builder.begin_ns;
    timeline->length_ns = builder.end_ns - builder.begin_ns;
    builder.lane_of = calloc(lanes->symbols->count + 1, sizeof *builder.lane_of);
    wrong = builder.lane_of != NULL ? build(&builder) : no_memory;
    free(builder.lane_of);
    return wrong;
}

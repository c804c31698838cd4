/* SPDX-License-Identifier: BSD-3-Clause */
#include "tracer.h"

#include <stdlib.h>

enum { WAITS_FIRST = 1024 };

void nd__tracer_ask(struct nd__tracer *tracer, const struct nd_sim_window *window,
                    uint64_t now_ns) {
    tracer->window = *window;
    tracer->log.trigger_bytes = window->trigger_bytes;
    tracer->log.trigger_ns = window->trigger_bytes > 0 ? ND__NEVER : now_ns;
    tracer->state = ND__TRACER_ARMED;
}

bool nd__tracer_end(struct nd__tracer *tracer, uint64_t now_ns) {
    if (tracer->state == ND__TRACER_ARMED) {
        tracer->state = ND__TRACER_OFF;
    } else if (now_ns < tracer->trace.to_ns) {
        tracer->trace.to_ns = now_ns;
    }
    return tracer->state != ND__TRACER_OFF;
}

static bool add_wait(struct nd__tracer *tracer, uint64_t mark, uint64_t ticks) {
    if (tracer->trace.wait_count == tracer->wait_room) {
        size_t room = tracer->wait_room > 0 ? 2 * tracer->wait_room : WAITS_FIRST;
        struct nd_sim_wait *waits = realloc(tracer->waits, room * sizeof *waits);

        if (waits == NULL) {
            return false;
        }
        tracer->waits = waits;
        tracer->wait_room = room;
    }
    tracer->waits[tracer->trace.wait_count++] = (struct nd_sim_wait){mark, ticks};
    return true;
}

static void begin(struct nd__tracer *tracer, struct nd__meter *meter, uint64_t now_ticks) {
    tracer->trace.trigger_ns = tracer->log.trigger_ns;
    tracer->trace.to_ns =
        tracer->log.trigger_ns + tracer->window.after_ns + tracer->window.duration_ns;
    tracer->trace.idle_ticks = now_ticks - meter->latest;
    tracer->state = ND__TRACER_ON;
    tracer->log.on = true;
    nd__meter_tape(meter, true);
}

static void end(struct nd__tracer *tracer, struct nd__meter *meter) {
    tracer->state = ND__TRACER_ENDING;
    nd__meter_tape(meter, false);
}

bool nd__tracer_answer(struct nd__tracer *tracer, struct nd__meter *meter, uint64_t now_ns,
                       uint64_t now_ticks, uint32_t waited_ticks) {
    if (tracer->state == ND__TRACER_ON) {
        if (waited_ticks > 0 && !add_wait(tracer, meter->taken - 1, waited_ticks)) {
            return false;
        }
        if (now_ns >= tracer->trace.to_ns) {
            end(tracer, meter);
        }
    } else if (tracer->state == ND__TRACER_ARMED && tracer->log.trigger_ns <= now_ns &&
               now_ns - tracer->log.trigger_ns >= tracer->window.after_ns) {
        begin(tracer, meter, now_ticks);
    }
    return !tracer->log.no_memory;
}

const struct nd_sim_trace *nd__tracer_take(struct nd__tracer *tracer, const struct nd__meter *meter,
                                           struct nd__link *link) {
    struct nd_sim_trace *trace = &tracer->trace;

    if (tracer->state == ND__TRACER_ENDING && nd__meter_taped(meter)) {
        nd__link_log_rest(link, trace->to_ns);
        tracer->log.on = false;
        trace->changes = (const struct nd_sim_change *)(meter->page + 1);
        trace->change_count = meter->page->tape_count;
        trace->lost = meter->page->tape_lost;
        trace->waits = tracer->waits;
        trace->frames = tracer->log.frames;
        trace->frame_count = (uint32_t)tracer->log.count;
        tracer->state = ND__TRACER_DONE;
    }
    return tracer->state == ND__TRACER_DONE ? trace : NULL;
}

void nd__tracer_close(struct nd__tracer *tracer) {
    nd__log_close(&tracer->log);
    free(tracer->waits);
    *tracer = (struct nd__tracer){0};
}

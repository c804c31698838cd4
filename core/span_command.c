/* SPDX-License-Identifier: BSD-3-Clause */
/* The ring is printed while it is stopped: a record that goes on would overtake its reader. */
#include "nd/console.h"
#include "nd/span.h"

#include "text.h"

static const char *kind_name(uint32_t what) {
    static const char *const names[] = {"unknown", "begin", "end", "task"};

    return names[what <= (ND_SPAN_RUNS | ND_SPAN_ID) ? what >> 16 : 0];
}

static void tell_ring(struct nd_console *console, const struct nd_span_ring *ring) {
    const struct nd_clock *clock = ring->cfg.clock;
    uint32_t count = nd_span_count(ring);
    struct nd_fmt out;

    nd_console_begin(console, &out, "spans");
    if (console->json) {
        nd_json_text(&out, "tick", nd_clock_kind_name(clock->kind));
        nd_json_u64(&out, "clock_hz", clock->hz);
        nd_json_u64(&out, "events", count);
        nd_json_u64(&out, "lost", nd_span_put_count(ring) - count);
    } else {
        nd_fmt_text(&out, "spans clock_hz=");
        nd_fmt_u64(&out, clock->hz);
        nd_fmt_text(&out, " events=");
        nd_fmt_u64(&out, count);
        nd_fmt_text(&out, " lost=");
        nd_fmt_u64(&out, nd_span_put_count(ring) - count);
    }
    nd_console_end(console, &out);
}

/* Ticks since the event before; 0 of the oldest. */
static uint32_t delta(const struct nd_span_ring *ring, uint32_t index) {
    return index == 0 ? 0
                      : nd_clock_elapsed(ring->cfg.clock, nd_span_at(ring, index - 1)->at,
                                         nd_span_at(ring, index)->at);
}

static void tell_event(struct nd_console *console, const struct nd_span_ring *ring,
                       uint32_t index) {
    const struct nd_span_event *event = nd_span_at(ring, index);
    uint32_t id = event->what & ND_SPAN_ID;
    const char *name = id < ring->cfg.name_count ? ring->cfg.names[id] : NULL;
    struct nd_fmt out;

    nd_console_begin(console, &out, "span");
    if (console->json) {
        nd_json_u64(&out, "delta_ticks", delta(ring, index));
        nd_json_text(&out, "event", kind_name(event->what));
        nd_json_u64(&out, "span", id);
        if (name != NULL) {
            nd_json_text(&out, "name", name);
        }
    } else {
        nd_fmt_char(&out, '+');
        nd_fmt_u64(&out, delta(ring, index));
        nd_fmt_char(&out, ' ');
        nd_fmt_text(&out, kind_name(event->what));
        nd_fmt_char(&out, ' ');
        nd_fmt_u64(&out, id);
        nd_fmt_text(&out, name != NULL ? " " : "");
        nd_fmt_text(&out, name != NULL ? name : "");
    }
    nd_console_end(console, &out);
}

static int run(struct nd_command *self, struct nd_console *console, unsigned step) {
    struct nd_span_ring *ring = (struct nd_span_ring *)self->ctx;

    if (ring->cfg.events == NULL) {
        console->message = "nothing is recorded: the firmware did not call nd_span_start()";
        return ND_E_UNSUPPORTED;
    }
    if (console->argc == 2 && nd__text_equal(console->argv[1], "start")) {
        nd_span_clear(ring);
        nd_span_switch(ring, true);
        return ND_OK;
    }
    if (console->argc != 1) {
        console->message = "expected nothing, or start";
        return ND_E_ARG;
    }
    if (step == 0) {
        nd_span_switch(ring, false);
        tell_ring(console, ring);
        return ND_AGAIN;
    }
    if (step > nd_span_count(ring)) {
        return ND_OK;
    }
    tell_event(console, ring, step - 1);
    return ND_AGAIN;
}

void nd_span_command(struct nd_command *command, struct nd_span_ring *ring) {
    *command =
        (struct nd_command){.name = "spans", .usage = "spans [start]", .run = run, .ctx = ring};
}

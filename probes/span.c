/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/span.h"

#include "nd/error.h"

struct nd_span_ring nd_span_ring;

int nd_span_start(const struct nd_span_cfg *cfg) {
    struct nd_span_ring *ring = &nd_span_ring;

    if (cfg->clock == NULL || !nd_clock_valid(cfg->clock) || cfg->events == NULL ||
        cfg->event_count == 0) {
        return ND_E_ARG;
    }
    ring->cfg = *cfg;
    ring->end = cfg->events + cfg->event_count;
    nd_span_clear(ring);
    nd_span_switch(ring, true);
    return ND_OK;
}

static inline void put(struct nd_span_ring *ring, uint32_t at, uint32_t what) {
    struct nd_span_event *event = ring->next;

    event->at = at;
    event->what = what;
    ring->next = event + 1;
    if (ring->next == ring->end) {
        ring->next = ring->cfg.events;
        ring->laps++;
    }
}

/* Apart, so that the way most marks go saves no registers. */
static __attribute__((noinline)) void put_slowly(uint32_t what) {
    if (nd_span_ring.on) {
        put(&nd_span_ring, nd_clock_read(nd_span_ring.cfg.clock), what);
    }
}

void nd_span_put(uint32_t what) {
    const volatile uint32_t *counter = nd_span_ring.counter;

    if (counter == NULL) {
        put_slowly(what);
        return;
    }
    put(&nd_span_ring, *counter, what);
}

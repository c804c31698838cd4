/* SPDX-License-Identifier: BSD-3-Clause */
#include "heap_watch.h"
#include "leak_check.h"
#include "lwip_timing.h"
#include "memory.h"

#include <string.h>

#include "nd/series.h"

/* Free bytes over time: at first a point for each millisecond. */
#define POINTS    64u
#define PERIOD_NS 1000000u

static struct nd_agent *agent;
static struct nd_heap_meter meter;
static struct nd_series series;
static uint32_t points[POINTS];

static void begin(void) {
    nd_heap_meter_reset(&meter);
    nd_series_init(&series, points, POINTS, nd_clock_ticks(PERIOD_NS, agent->cfg.clock->hz));
}

void nd_heap_watch_work(void) {
    nd_heap_meter_sample(&meter, &nd_image_memory);
    if (meter.samples > 0) {
        nd_series_add(&series, agent->now, meter.now);
    }
    if (nd_lwip_ledger.all_failures > 0) {
        nd_agent_check_memory(agent); /* so that the first is known to one turn */
    }
}

/* In the order of the memory test's own report. */
static void tell_meter(struct nd_console *console) {
    const uint32_t failures = nd_lwip_ledger.all_failures;
    const struct {
        const char *key;
        int64_t value;
    } items[] = {
        {"samples", meter.samples},
        {"now_bytes", meter.samples > 0 ? (int64_t)meter.now : ND_NO_SAMPLES},
        {"max_bytes", meter.samples > 0 ? (int64_t)meter.max : ND_NO_SAMPLES},
        {"min_bytes", meter.samples > 0 ? (int64_t)meter.min : ND_NO_SAMPLES},
        {"average_bytes", nd_heap_meter_average(&meter)},
        {"failures", failures},
        {"first_failed_bytes",
         failures > 0 ? (int64_t)nd_lwip_ledger.first_failed_bytes : ND_NO_SAMPLES},
    };
    struct nd_fmt out;

    nd_leak_check_begin(console, &out, "heap_free");
    for (unsigned i = 0; i < sizeof items / sizeof items[0]; i++) {
        nd_leak_check_item(console, &out, items[i].key, items[i].value);
    }
    nd_console_end(console, &out);
}

static void tell_point(struct nd_console *console, uint32_t index) {
    uint64_t at = series.start + index * series.period;
    struct nd_fmt out;

    nd_leak_check_begin(console, &out, "heap_point");
    nd_leak_check_item(console, &out, "at_ns", (int64_t)nd_agent_ns(agent, at));
    nd_leak_check_item(console, &out, "free_min_bytes", points[index]);
    nd_console_end(console, &out);
}

static int run(struct nd_command *self, struct nd_console *console, unsigned step) {
    const char *word = console->argc == 2 ? console->argv[1] : "";

    (void)self;
    if (console->argc == 1) {
        tell_meter(console);
        return ND_OK;
    }
    if (strcmp(word, "reset") == 0) {
        begin();
        return ND_OK;
    }
    if (strcmp(word, "series") != 0) {
        console->message = "expected nothing, reset or series";
        return ND_E_ARG;
    }
    if (step >= series.count) {
        return ND_OK;
    }
    tell_point(console, step);
    return ND_AGAIN;
}

void nd_heap_watch_start(struct nd_agent *watched, struct nd_console *console) {
    static struct nd_command command = {
        .name = "heap", .usage = "heap [reset|series]: free bytes over time", .run = run};

    agent = watched;
    begin();
    nd_console_add(console, &command);
}

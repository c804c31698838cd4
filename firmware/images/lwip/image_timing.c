/* SPDX-License-Identifier: BSD-3-Clause */
#include "image_timing.h"
#include "leak_check.h"
#include "lwip_timing.h"
#include "machine.h"
#include "memory.h"

#include "lwip/netif.h"

static struct nd_clock work_clock;
static struct nd_heap_meter heap;
static struct nd_leak_check leaks;
static struct nd_command timing_command;
static struct nd_command heap_command;
static struct nd_command leaks_command;

/* In the order of the memory test's own report. */
static int run_heap(struct nd_command *self, struct nd_console *console, unsigned step) {
    const struct {
        const char *key;
        int64_t value;
    } items[] = {
        {"samples", heap.samples},
        {"now_bytes", heap.samples > 0 ? (int64_t)heap.now : ND_NO_SAMPLES},
        {"max_bytes", heap.samples > 0 ? (int64_t)heap.max : ND_NO_SAMPLES},
        {"min_bytes", heap.samples > 0 ? (int64_t)heap.min : ND_NO_SAMPLES},
        {"average_bytes", nd_heap_meter_average(&heap)},
    };
    struct nd_fmt out;

    (void)self, (void)step;
    if (console->argc != 1) {
        console->message = "this command takes no words";
        return ND_E_ARG;
    }
    nd_leak_check_begin(console, &out, "heap_free");
    for (unsigned i = 0; i < sizeof items / sizeof items[0]; i++) {
        nd_leak_check_item(console, &out, items[i].key, items[i].value);
    }
    nd_console_end(console, &out);
    return ND_OK;
}

void nd_image_timing_start(struct nd_agent *agent, struct nd_console *console) {
    nd_heap_meter_reset(&heap);
    nd_machine_clock(&work_clock);
    nd_lwip_timing_start(&work_clock, netif_default);
    nd_timing_command(&timing_command, &nd_lwip_timing);
    nd_console_add(console, &timing_command);
    heap_command = (struct nd_command){.name = "heap",
                                       .usage = "heap: free bytes in every turn of the main loop",
                                       .run = run_heap};
    nd_console_add(console, &heap_command);
    nd_leak_check_start(&leaks, agent);
    nd_leak_check_command(&leaks_command, &leaks);
    nd_console_add(console, &leaks_command);
}

void nd_image_timing_work(void) {
    nd_heap_meter_sample(&heap, &nd_image_memory);
    nd_leak_check_work(&leaks);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "image_timing.h"
#include "heap_watch.h"
#include "leak_check.h"
#include "lwip_timing.h"
#include "machine.h"
#include "plants/plants.h"

#include "lwip/netif.h"

static struct nd_clock work_clock;
static struct nd_leak_check leaks;
static struct nd_command timing_command;
static struct nd_command leaks_command;

void nd_image_timing_start(struct nd_agent *agent, struct nd_console *console) {
    nd_machine_clock(&work_clock);
    nd_lwip_timing_start(&work_clock, netif_default);
    nd_timing_command(&timing_command, &nd_lwip_timing);
    nd_console_add(console, &timing_command);
    nd_heap_watch_start(agent, console);
    nd_leak_check_start(&leaks, agent);
    nd_leak_check_command(&leaks_command, &leaks);
    nd_console_add(console, &leaks_command);
#if ND_IMAGE_PLANTS
    nd_plants_add(console);
#endif
}

void nd_image_timing_work(void) {
    nd_heap_watch_work();
    nd_leak_check_work(&leaks);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "plants.h"
#include "machine.h"

#include <string.h>

#include "nd/error.h"

#define STALL_NS 10000000u

extern uint32_t nd_stack_low[];

static void stall(void) {
    struct nd_clock clock;

    nd_machine_clock(&clock);
    uint32_t start = nd_clock_read(&clock);
    uint32_t ticks = (uint32_t)nd_clock_ticks(STALL_NS, clock.hz);
    while (nd_clock_elapsed(&clock, start, nd_clock_read(&clock)) < ticks) {
    }
}

/* Write every word from the stack's end, and `beyond` of them outside of it, up to here. */
__attribute__((noinline)) static void use_stack(unsigned beyond) {
    volatile uint32_t *here;
    volatile uint32_t *word;

    __asm__ volatile("mov %0, sp" : "=r"(here));
    for (word = here - 1; word >= nd_stack_low - beyond; word--) {
        *word = 0;
    }
}

static int run(struct nd_command *self, struct nd_console *console, unsigned step) {
    const char *what = console->argc == 2 ? console->argv[1] : "";

    (void)self, (void)step;
    if (strcmp(what, "stall") == 0) {
        stall();
    } else if (strcmp(what, "stack") == 0) {
        use_stack(0);
    } else if (strcmp(what, "overflow") == 0) {
        use_stack(1);
    } else {
        console->message = "expected stall, stack or overflow";
        return ND_E_ARG;
    }
    return ND_OK;
}

void nd_plants_add(struct nd_console *console) {
    static struct nd_command command = {
        .name = "plant", .usage = "plant stall|stack|overflow: a fault to find", .run = run};

    nd_console_add(console, &command);
}

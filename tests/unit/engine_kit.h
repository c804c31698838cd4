/* SPDX-License-Identifier: BSD-3-Clause */
/* engine_kit.h - one agent over the loop port with a clock that the test winds. */
#ifndef ENGINE_KIT_H
#define ENGINE_KIT_H

/* cmocka.h needs these before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "loop.h"
#include "nd/agent.h"
#include "nd/console.h"

#define KIT_SLOTS      16
#define KIT_RING_BYTES 4000
#define KIT_REPORTS    64
#define KIT_HZ         1000000u

/* A report as it was handed over; of what it points to, latency is not kept. */
struct kit_report {
    struct nd_report report;
    struct nd_heap_meter heap;
    struct nd_sequence datagrams;
    struct nd_sequence peer_datagrams;
};

struct kit {
    struct nd_loop loop;
    struct nd_loop_slot slots[KIT_SLOTS];
    uint8_t rings[KIT_SLOTS * KIT_RING_BYTES];
    struct nd_clock clock;
    uint32_t ticks;          /* what the clock reads [µs] */
    uint32_t ticks_per_poll; /* work of one poll [µs] */
    uint64_t idle;           /* [µs] */
    struct nd_memory memory;
    int64_t heap_free;
    int64_t failures;
    struct nd_agent agent;
    struct nd_console console;
    struct nd_report_sink sink;
    struct kit_report reports[KIT_REPORTS];
    unsigned report_count;
};

/* One test of a group, with a kit of its own as its state. */
#define KIT_TEST(test) cmocka_unit_test_setup_teardown(test, kit_setup, kit_teardown)

int kit_setup(void **state);
int kit_teardown(void **state);

/* 10.0.0.1:port; the loop port does not look at the address. */
struct nd_addr kit_addr(uint16_t port);

/* Poll until nothing moves; time goes on by ticks_per_poll each time. */
void kit_run(struct kit *kit);

/* Poll for so long, moving or not [µs]. */
void kit_run_for(struct kit *kit, uint32_t us);

/* The last report; fails the test when there is none. */
const struct nd_report *kit_last(const struct kit *kit);

/* Connect a bare end to a service, outside the agent: a hand-made peer. */
struct nd_conn *kit_dial(struct kit *kit, uint16_t port);

/* The connections in use, listeners included. */
uint32_t kit_used(const struct kit *kit);

/* What the console has written since the last call, NUL-terminated, valid until the next. */
const char *kit_read(struct kit *kit);

/* Type a line and run the command to its end. Returns what it wrote. */
const char *kit_type(struct kit *kit, const char *line);

#endif

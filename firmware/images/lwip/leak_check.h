/* SPDX-License-Identifier: BSD-3-Clause */
/* leak_check.h - what a test left behind.
 *
 * When no test has been in progress for a second, everything that a test took of lwIP's buffers has
 * come back, or it never will: what is then out beyond what was out before is a leak. Connections
 * that wait out their time are no buffers and not looked at. */
#ifndef ND_LEAK_CHECK_H
#define ND_LEAK_CHECK_H

#include <stdbool.h>
#include <stdint.h>

#include "nd/agent.h"
#include "nd/console.h"

/* Heap pieces, PBUF, PBUF_POOL, TCP_SEG; then pbufs by the calls' return values. */
#define ND_LEAK_CHECK_COUNTS 5u

struct nd_leak_check {
    struct nd_agent *agent;
    struct nd_report_sink sink;
    bool began;               /* `before` is filled in */
    bool pending;             /* a test is over and not yet looked at */
    uint64_t quiet;           /* no test has been in progress since then [ticks] */
    uint32_t reported;        /* tests over since the latest check */
    uint32_t tests;           /* looked at */
    uint32_t leaking_checks;  /* of the checks, those that found something */
    uint32_t latest_session;  /* number of the test that was over last */
    uint32_t leaking_session; /* number of the first that left something; 0 = none */
    int32_t before[ND_LEAK_CHECK_COUNTS];
    int32_t grown[ND_LEAK_CHECK_COUNTS]; /* by the latest check */
    int32_t all[ND_LEAK_CHECK_COUNTS];   /* by all checks */
};

/* Watch the tests of this agent. */
void nd_leak_check_start(struct nd_leak_check *check, struct nd_agent *agent);

/* Once in every turn of the main loop. */
void nd_leak_check_work(struct nd_leak_check *check);

/* Make the console command `leaks`. */
void nd_leak_check_command(struct nd_command *command, struct nd_leak_check *check);

/* A line of keys and values, in either form. */
void nd_leak_check_begin(struct nd_console *console, struct nd_fmt *out, const char *kind);
void nd_leak_check_item(struct nd_console *console, struct nd_fmt *out, const char *key,
                        int64_t value);

#endif

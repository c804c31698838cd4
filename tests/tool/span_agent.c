/* SPDX-License-Identifier: BSD-3-Clause */
/* A device whose firmware has marks: an agent with the console on the network, which makes the same
 * few marks whenever it is told to record. Its clock goes on by the marks alone. Ends with its
 * input. */
#define ND_CFG_SPAN ND_SPAN_RING

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "nd/agent.h"
#include "nd/console.h"
#include "nd/remote.h"
#include "nd/span.h"
#include "posix.h"

/* Between two looks at the input, at most [ns]. */
enum { SLEEP_NS = 100000000 };

enum { CHECKSUM, UNNAMED, IDLE, SENDER };

static const char *const names[] = {"checksum", NULL, "idle", "sender"};

static uint32_t ticks; /* [us] */

static const struct nd_clock mark_clock = {
    .counter = &ticks, .name = "test", .hz = 1000000, .bits = 32, .kind = ND_CLOCK_CYCLES};

static void require(int result) {
    if (result < 0) {
        fprintf(stderr, "span_agent: %s\n", nd_error_name(result));
        exit(1);
    }
}

static void make_marks(void) {
    ND_SPAN_TASK(IDLE);
    ticks += 10;
    ND_SPAN_END(UNNAMED);
    ND_SPAN_TASK(SENDER);
    ticks += 5;
    ND_SPAN_BEGIN(CHECKSUM);
    ticks += 20;
    ND_SPAN_BEGIN(CHECKSUM);
    ticks += 1;
    ND_SPAN_END(CHECKSUM);
    ticks += 4;
    ND_SPAN_END(CHECKSUM);
    ticks += 2;
    ND_SPAN_BEGIN(CHECKSUM);
    ticks += 7;
    ND_SPAN_END(CHECKSUM);
    ND_SPAN_TASK(IDLE);
    ticks += 6;
    ND_SPAN_BEGIN(UNNAMED);
    ticks += 3;
    ND_SPAN_TASK(SENDER);
}

static bool input_ended(void) {
    char byte;

    return read(STDIN_FILENO, &byte, 1) == 0;
}

int main(void) {
    static struct nd_span_event events[32];
    static struct nd_agent agent;
    static struct nd_console console;
    static struct nd_remote remote;
    static struct nd_command command;
    struct nd_posix *posix = nd_posix_create(NULL);
    const struct nd_span_cfg cfg = {
        .clock = &mark_clock, .events = events, .event_count = 32, .names = names, .name_count = 4};
    const struct nd_addr at = {.ip = {127, 0, 0, 1}, .family = 4};
    const struct nd_agent_cfg agent_cfg = {
        .port = &nd_port_posix, .port_ctx = posix, .clock = nd_posix_clock(posix)};

    require(nd_agent_init(&agent, &agent_cfg));
    nd_console_init(&console, &agent);
    nd_span_command(&command, &nd_span_ring);
    nd_console_add(&console, &command);
    require(nd_remote_serve(&remote, &agent, &at, &console, NULL));
    require(fcntl(STDIN_FILENO, F_SETFL, O_NONBLOCK));
    require(nd_span_start(&cfg));
    printf("%u\n", remote.service.at.port);
    fflush(stdout);
    while (!input_ended()) {
        do {
            if (nd_span_ring.on && nd_span_put_count(&nd_span_ring) == 0) {
                make_marks();
            }
        } while (nd_agent_poll(&agent));
        nd_posix_wait(posix, SLEEP_NS);
    }
    return 0;
}

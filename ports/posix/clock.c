/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c - time and processor time of this machine. */
#include <time.h>

#include "instance.h"

#define NS_PER_S 1000000000u

/* Asking for the processor time takes some 0.3 us, so between two sleeps it is done this seldom: a
 * pause that others made by taking the processor is longer, and so noticed at its end. */
#define ASK_NS 100000u

static uint64_t read_ns(clockid_t id) {
    struct timespec now;
    clock_gettime(id, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t nd_posix_now_ns(void) {
    return read_ns(CLOCK_MONOTONIC);
}

uint64_t nd_posix_cpu_ns(void) {
    return read_ns(CLOCK_PROCESS_CPUTIME_ID);
}

/* Idle is elapsed time less processor time, and grows by no more than passed since the latest
 * reading, so that work between two readings is never below nothing: what a reading finds beyond
 * that, because the one before did not ask for the processor time, is made up for by later ones. */
void nd__posix_count_idle(struct nd_posix *posix, uint64_t now_ns, bool surely) {
    uint64_t passed_ns = now_ns - posix->read_ns;

    posix->read_ns = now_ns;
    if (surely || now_ns - posix->asked_ns >= ASK_NS) {
        uint64_t elapsed_ns = now_ns - posix->start_ns;
        uint64_t work_ns = nd_posix_cpu_ns() - posix->start_cpu_ns;

        posix->asked_ns = now_ns;
        posix->slept_ns = elapsed_ns > work_ns ? elapsed_ns - work_ns : 0;
    }
    if (posix->slept_ns > posix->idle_ns) {
        uint64_t more_ns = posix->slept_ns - posix->idle_ns;
        posix->idle_ns += more_ns < passed_ns ? more_ns : passed_ns;
    }
}

static uint32_t read_low(void *ctx) {
    uint64_t now_ns = nd_posix_now_ns();

    nd__posix_count_idle(ctx, now_ns, false);
    return (uint32_t)now_ns;
}

void nd__posix_start_clock(struct nd_posix *posix) {
    posix->clock = (struct nd_clock){
        .read = read_low,
        .ctx = posix,
        .name = "clock_monotonic",
        .hz = NS_PER_S,
        .bits = 32,
        .kind = ND_CLOCK_TIME,
    };
    posix->start_ns = nd_posix_now_ns();
    posix->start_cpu_ns = nd_posix_cpu_ns();
    posix->read_ns = posix->start_ns;
    posix->asked_ns = posix->start_ns;
}

const struct nd_clock *nd_posix_clock(const struct nd_posix *posix) {
    return &posix->clock;
}

const uint64_t *nd_posix_idle_ns(const struct nd_posix *posix) {
    return &posix->idle_ns;
}

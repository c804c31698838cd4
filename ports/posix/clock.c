/* SPDX-License-Identifier: BSD-3-Clause */
/* clock.c - time and processor time of this machine. */
#include <time.h>

#include "posix.h"

#define NS_PER_S 1000000000u

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

static uint32_t read_low(void *ctx) {
    (void)ctx;
    return (uint32_t)nd_posix_now_ns();
}

const struct nd_clock nd_posix_clock = {
    .read = read_low,
    .ctx = NULL,
    .name = "clock_monotonic",
    .hz = NS_PER_S,
    .bits = 32,
    .kind = ND_CLOCK_TIME,
};

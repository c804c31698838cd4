/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.h in a process of the host, for debuggers, sanitizers and fuzzers. Work takes no time
 * here, but each read from the simulator is said to have cost a fixed, made-up number of ticks, so
 * that time passes for a device that never waits; unless the image tells what it spent. */
#include "machine.h"
#include "board.h"
#include "native.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nd/error.h"

#define READ_TICKS 100u

static int to_simulator = -1;
static int from_simulator = -1;
static uint64_t ticks;
static uint32_t read_ticks = READ_TICKS;

static int open_stream(const char *path, int flags) {
    int stream = open(path, flags | O_CLOEXEC);
    if (stream < 0) {
        fprintf(stderr, "netdyno agent: cannot open %s: %s\n", path, strerror(errno));
        exit(1);
    }
    return stream;
}

void nd_machine_open(int argc, char **argv) {
    if (argc < 3) {
        nd_machine_abandon("expected the paths of two streams: to and from the simulator");
    }
    signal(SIGPIPE, SIG_IGN);
    to_simulator = open_stream(argv[argc - 2], O_WRONLY);
    from_simulator = open_stream(argv[argc - 1], O_RDONLY);
}

void nd_machine_write(const void *bytes, size_t len) {
    const char *at = bytes;
    while (len > 0) {
        ssize_t count = write(to_simulator, at, len);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            nd_machine_abandon("the simulator is gone");
        }
        at += count;
        len -= (size_t)count;
    }
}

void nd_machine_read(void *bytes, size_t len) {
    char *at = bytes;
    ticks += read_ticks;
    while (len > 0) {
        ssize_t count = read(from_simulator, at, len);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            nd_machine_abandon("the simulator is gone");
        }
        at += count;
        len -= (size_t)count;
    }
}

void nd_native_work(uint32_t work_ticks) {
    ticks += work_ticks;
}

void nd_native_set_read_ticks(uint32_t each_ticks) {
    read_ticks = each_ticks;
}

uint64_t nd_machine_ticks(void) {
    return ticks;
}

static uint32_t read_ticks_low(void *ctx) {
    (void)ctx;
    return (uint32_t)ticks;
}

void nd_machine_clock(struct nd_clock *clock) {
    *clock = (struct nd_clock){.read = read_ticks_low,
                               .name = ND_BOARD_CLOCK_NAME,
                               .hz = ND_BOARD_HZ,
                               .bits = 32,
                               .kind = ND_BOARD_TICK_KIND};
}

_Noreturn void nd_machine_exit(int code) {
    exit(code);
}

_Noreturn void nd_machine_abandon(const char *why) {
    fprintf(stderr, "netdyno agent: %s\n", why);
    exit(1);
}

int nd_machine_stack(void *ctx, unsigned index, struct nd_stack *stack) {
    (void)ctx;
    if (index > 0) {
        return ND_EOF;
    }
    stack->name = "main";
    stack->total_bytes = ND_NOT_SUPPORTED;
    stack->used_bytes = ND_NOT_SUPPORTED;
    stack->used_max = ND_NOT_SUPPORTED;
    return ND_OK;
}

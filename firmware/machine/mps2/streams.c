/* SPDX-License-Identifier: BSD-3-Clause */
/* The two byte streams of machine.h, and the ends of the program, by semihosting. The processor
 * stands still inside a call, so virtual time does too. */
#include "machine.h"
#include "semihost.h"

#include <string.h>

static uint32_t to_simulator;
static uint32_t from_simulator;

static uint32_t open_stream(const char *path, uint32_t mode) {
    const uint32_t arguments[] = {(uint32_t)path, mode, strlen(path)};
    int32_t handle = nd_semihost(ND_SYS_OPEN, arguments);
    if (handle < 0) {
        nd_machine_abandon("cannot open a stream of the simulator");
    }
    return (uint32_t)handle;
}

void nd_machine_open(int argc, char **argv) {
    if (argc < 2) {
        nd_machine_abandon("expected the paths of two streams: to and from the simulator");
    }
    to_simulator = open_stream(argv[argc - 2], ND_SYS_MODE_WRITE);
    from_simulator = open_stream(argv[argc - 1], ND_SYS_MODE_READ);
}

/* The host may do less than it was asked for; nothing at all means that the other end closed. */
static void transfer(enum nd_semihost_call call, uint32_t handle, uint32_t at, uint32_t len) {
    while (len > 0) {
        const uint32_t arguments[] = {handle, at, len};
        uint32_t left = (uint32_t)nd_semihost(call, arguments);
        if (left >= len) {
            nd_machine_abandon("the simulator is gone");
        }
        at += len - left;
        len = left;
    }
}

void nd_machine_write(const void *bytes, size_t len) {
    transfer(ND_SYS_WRITE, to_simulator, (uint32_t)bytes, len);
}

void nd_machine_read(void *bytes, size_t len) {
    transfer(ND_SYS_READ, from_simulator, (uint32_t)bytes, len);
}

_Noreturn void nd_machine_exit(int code) {
    const uint32_t arguments[] = {ND_SYS_APPLICATION_EXIT, (uint32_t)code};
    for (;;) {
        nd_semihost(ND_SYS_EXIT_EXTENDED, arguments);
    }
}

_Noreturn void nd_machine_abandon(const char *why) {
    nd_semihost(ND_SYS_WRITE0, "netdyno agent: ");
    nd_semihost(ND_SYS_WRITE0, why);
    nd_semihost(ND_SYS_WRITE0, "\n");
    nd_machine_exit(1);
}

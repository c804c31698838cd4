/* SPDX-License-Identifier: BSD-3-Clause */
#include "signals.h"

#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "say.h"

static volatile sig_atomic_t caught;
static int wake_fd = -1;

static void note(int number) {
    const uint64_t one = 1;
    int saved = errno;

    caught = number;
    if (write(wake_fd, &one, sizeof one) < 0) {
        /* The counter is at its limit, so it is readable already. */
    }
    errno = saved;
}

int signals_catch(void) {
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = note};

    wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (wake_fd < 0) {
        say_error("cannot create an event descriptor: %s", strerror(errno));
        return -1;
    }
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        sigaction(numbers[i], &action, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
    return 0;
}

int signals_caught(void) {
    return caught;
}

int signals_fd(void) {
    return wake_fd;
}

int signals_exit(int code) {
    return caught != 0 ? 128 + caught : code;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "machine/pin.h"

#include <sched.h>
#include <string.h>

static void set_policy(int policy) {
    const struct sched_param none = {0};

    sched_setscheduler(0, policy, &none);
}

void nd__pin_set(struct nd__pin *pin, bool batch) {
    int cpu = sched_getcpu();
    cpu_set_t before;
    cpu_set_t one;

    _Static_assert(sizeof pin->before == sizeof before, "room for the set");
    if (pin->pinned || cpu < 0 || sched_getaffinity(0, sizeof before, &before) != 0) {
        return;
    }
    CPU_ZERO(&one);
    CPU_SET((size_t)cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) == 0) {
        memcpy(pin->before, &before, sizeof before);
        pin->pinned = true;
        pin->batch = batch && sched_getscheduler(0) == SCHED_OTHER;
    }
    if (pin->batch) {
        set_policy(SCHED_BATCH);
    }
}

void nd__pin_release(struct nd__pin *pin) {
    cpu_set_t before;

    if (!pin->pinned) {
        return;
    }
    memcpy(&before, pin->before, sizeof before);
    sched_setaffinity(0, sizeof before, &before);
    if (pin->batch) {
        set_policy(SCHED_OTHER);
    }
    *pin = (struct nd__pin){0};
}

/* SPDX-License-Identifier: BSD-3-Clause */
#define _GNU_SOURCE
#include "tap/tap.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "nd/error.h"
#include "nd/lockstep.h"
#include "tap/device.h"

#define NS_PER_S UINT64_C(1000000000)

/* Nothing is due. */
#define NEVER UINT64_MAX

/* While virtual time is late nobody sleeps, and descriptors are looked at no more often: a look
 * costs as much as serving a record [ns]. */
enum { LOOK_NS = 20000 };

/* Frames taken from the interface in one go, so that a flood of them does not stop time. */
enum { BATCH_FRAMES = 64 };

/* Room for a frame and one byte, to tell a longer one [byte]. */
enum { READ_BYTES = ND_LOCKSTEP_FRAME_BYTES + 1 };

struct tap {
    struct nd__far *far;
    struct nd__far_cfg far_cfg;
    struct nd_sim_tap cfg;
    struct nd__tap_device device;
    uint64_t start_ns;  /* of virtual time, on the wall's clock [ns] */
    uint64_t looked_ns; /* when descriptors were last looked at [ns, virtual] */
    bool ready;         /* some of wait[] are, and were not served */
    struct pollfd wait[1 + ND_SIM_WAKE_FDS]; /* the interface, and the caller's */
    int slack_ns;                            /* of the thread's timers before */
};

/* ---- time ---- */

static uint64_t wall_ns(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static uint64_t real_ns(const struct tap *tap) {
    return wall_ns() - tap->start_ns;
}

/* Too late: go on from until_ns. */
static void slip(struct tap *tap, uint64_t late_ns) {
    tap->start_ns += late_ns;
    tap->far->slipped_ns += late_ns;
}

/* Sleep for so long, or until a descriptor has something. */
static void look(struct tap *tap, uint64_t limit_ns) {
    const struct timespec limit = {.tv_sec = (time_t)(limit_ns / NS_PER_S),
                                   .tv_nsec = (long)(limit_ns % NS_PER_S)};

    tap->wait[0].fd = tap->device.fd;
    tap->wait[0].events = tap->far_cfg.has_room(tap->far_cfg.ctx) ? POLLIN : 0;
    for (unsigned i = 0; i < tap->cfg.wake_count; i++) {
        tap->wait[1 + i].fd = tap->cfg.wake_fds[i];
        tap->wait[1 + i].events = POLLIN;
    }
    tap->ready = ppoll(tap->wait, 1 + tap->cfg.wake_count, &limit, NULL) > 0;
}

/* Let real time pass until until_ns, or until something is there. */
static uint64_t next_ns(void *ctx, uint64_t until_ns) {
    struct tap *tap = ctx;
    uint64_t now_ns = real_ns(tap);

    if (now_ns > until_ns && now_ns - until_ns > ND__TAP_LATE_NS) {
        slip(tap, now_ns - until_ns);
        now_ns = until_ns;
    }
    if (!tap->ready && now_ns >= until_ns && now_ns - tap->looked_ns >= LOOK_NS) {
        look(tap, 0);
        tap->looked_ns = now_ns;
    }
    while (!tap->ready && now_ns < until_ns) {
        look(tap, until_ns - now_ns);
        now_ns = real_ns(tap);
        tap->looked_ns = now_ns;
    }
    if (!tap->ready) {
        return NEVER;
    }
    return now_ns < until_ns ? now_ns : until_ns;
}

/* The clock on the wall has told. */
static void set_time(void *ctx, uint64_t now_ns) {
    (void)ctx;
    (void)now_ns;
}

/* ---- frames ---- */

static void take_frames(struct tap *tap) {
    uint8_t frame[READ_BYTES];

    for (unsigned i = 0; i < BATCH_FRAMES && tap->far_cfg.has_room(tap->far_cfg.ctx); i++) {
        ssize_t got = read(tap->device.fd, frame, sizeof frame);

        if (got < 0) {
            return;
        }
        if (got <= (ssize_t)ND_LOCKSTEP_FRAME_BYTES) {
            tap->far_cfg.send(tap->far_cfg.ctx, frame, (uint32_t)got);
        }
    }
}

static bool is_woken(const struct tap *tap) {
    for (unsigned i = 0; i < tap->cfg.wake_count; i++) {
        if (tap->wait[1 + i].fd >= 0 && tap->wait[1 + i].revents != 0) {
            return true;
        }
    }
    return false;
}

static int run(void *ctx) {
    struct tap *tap = ctx;

    tap->ready = false;
    if (is_woken(tap) && !tap->cfg.wake(tap->cfg.wake_ctx)) {
        snprintf(tap->far_cfg.error, ND_SIM_ERROR_BYTES, "stopped");
        return ND_E_STOPPED;
    }
    if ((tap->wait[0].revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) {
        snprintf(tap->far_cfg.error, ND_SIM_ERROR_BYTES, "the interface %s is gone",
                 tap->device.name);
        return ND_E_STACK;
    }
    if ((tap->wait[0].revents & POLLIN) != 0) {
        take_frames(tap);
    }
    return ND_OK;
}

/* An interface that was set down, or a kernel without memory, loses the frame. */
static void receive(void *ctx, const void *data, uint32_t bytes) {
    struct tap *tap = ctx;

    (void)!write(tap->device.fd, data, bytes);
}

/* ---- begin and end ---- */

static void take_down(void *ctx) {
    struct tap *tap = ctx;

    prctl(PR_SET_TIMERSLACK, (unsigned long)tap->slack_ns);
    nd__tap_device_close(&tap->device);
    free(tap);
}

int nd__tap_open(struct nd__far *far, const struct nd__far_cfg *far_cfg,
                 const struct nd_sim_tap *cfg) {
    static const struct nd__far_class kind = {
        .set_time = set_time,
        .next_ns = next_ns,
        .run = run,
        .receive = receive,
        .close = take_down,
    };
    struct tap *tap = calloc(1, sizeof *tap);
    int result;

    if (tap == NULL) {
        snprintf(far_cfg->error, ND_SIM_ERROR_BYTES, "no memory for a TAP interface");
        return ND_E_MEMORY;
    }
    *tap = (struct tap){.far = far, .far_cfg = *far_cfg, .cfg = *cfg};
    result = nd__tap_device_open(&tap->device, cfg, far_cfg->error);
    if (result != ND_OK) {
        free(tap);
        return result;
    }
    tap->slack_ns = prctl(PR_GET_TIMERSLACK);
    prctl(PR_SET_TIMERSLACK, 1UL);
    tap->start_ns = wall_ns();
    *far = (struct nd__far){.kind = &kind, .ctx = tap};
    memcpy(far->device_ip, cfg->device_ip, sizeof far->device_ip);
    memcpy(far->mask, cfg->device_mask, sizeof far->mask);
    memcpy(far->gateway, cfg->gateway, sizeof far->gateway);
    memcpy(far->ip, cfg->host_ip, sizeof far->ip);
    return ND_OK;
}

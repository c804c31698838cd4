/* SPDX-License-Identifier: BSD-3-Clause */
#define _DEFAULT_SOURCE
#include "lockstep/lockstep.h"

#include <endian.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Longest answer: head, frame, console piece [byte]. */
enum {
    ANSWER_BYTES =
        sizeof(struct nd_lockstep_answer) + ND_LOCKSTEP_FRAME_BYTES + ND_LOCKSTEP_CONSOLE_BYTES
};

_Static_assert(ANSWER_BYTES <= PIPE_BUF, "a write() of it into an empty pipe is never split");

void nd__lockstep_init(struct nd__lockstep *lockstep, int from_fd, int to_fd, unsigned silence_ms) {
    lockstep->from_fd = from_fd;
    lockstep->to_fd = to_fd;
    lockstep->silence_ms = silence_ms;
    lockstep->waiting = false;
    lockstep->records.begin = 0;
    lockstep->records.end = 0;
    lockstep->records.greeted = false;
    lockstep->records.error = NULL;
}

static uint64_t wall_ms(void) {
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000u + (uint64_t)now.tv_nsec / 1000000u;
}

/* How long the device may still be silent [ms]. A signal or a partial record does not begin the
 * count anew. */
static int patience_ms(struct nd__lockstep *lockstep) {
    uint64_t now_ms = wall_ms();
    uint64_t waited_ms;

    if (!lockstep->waiting) {
        lockstep->waiting = true;
        lockstep->since_ms = now_ms;
    }
    waited_ms = now_ms - lockstep->since_ms;
    return waited_ms < lockstep->silence_ms ? (int)(lockstep->silence_ms - waited_ms) : 0;
}

/* Wait for bytes and take all there are. */
static int fill(struct nd__lockstep *lockstep) {
    struct pollfd wait = {.fd = lockstep->from_fd, .events = POLLIN};
    int ready = poll(&wait, 1, patience_ms(lockstep));
    uint8_t *room;
    size_t size;
    ssize_t got;

    if (ready == 0) {
        return ND_E_TIMEOUT;
    }
    if (ready < 0) {
        return errno == EINTR ? ND_AGAIN : ND_E_RESET;
    }
    room = nd__records_room(&lockstep->records, &size);
    got = read(lockstep->from_fd, room, size);
    if (got < 0 && errno == EINTR) {
        return ND_AGAIN;
    }
    if (got <= 0) {
        return ND_E_RESET;
    }
    nd__records_added(&lockstep->records, (size_t)got);
    return ND_OK;
}

int nd__lockstep_next(struct nd__lockstep *lockstep, struct nd__record *record) {
    for (;;) {
        int result = nd__records_next(&lockstep->records, record);

        if (result != ND_AGAIN) {
            lockstep->waiting = false;
            return result;
        }
        result = fill(lockstep);
        if (result != ND_OK) {
            return result;
        }
    }
}

/* The pipe is empty when the device waits for an answer, so that a short write means that it never
 * took earlier ones. */
static int send_bytes(struct nd__lockstep *lockstep, const void *bytes, size_t size) {
    ssize_t sent;

    do {
        sent = write(lockstep->to_fd, bytes, size);
    } while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)size ? ND_OK : ND_E_RESET;
}

int nd__lockstep_welcome(struct nd__lockstep *lockstep, const struct nd_lockstep_welcome *welcome) {
    struct nd_lockstep_welcome out = *welcome;

    out.magic = htole32(ND_LOCKSTEP_MAGIC);
    out.version = htole32(ND_LOCKSTEP_VERSION);
    out.seed = htole32(welcome->seed);
    out.tick_kind = htole32(welcome->tick_kind);
    return send_bytes(lockstep, &out, sizeof out);
}

int nd__lockstep_answer(struct nd__lockstep *lockstep, const struct nd__answer *answer) {
    struct nd_lockstep_answer head = {
        .now_low = htole32((uint32_t)answer->now_ticks),
        .now_high = htole32((uint32_t)(answer->now_ticks >> 32)),
        .frame_bytes = htole32(answer->frame_bytes),
        .frames_left = htole32(answer->frames_left),
        .tx_free = htole32(answer->tx_free),
        .console_bytes = htole32(answer->console_bytes),
        .waited = htole32(answer->waited),
    };
    uint8_t out[ANSWER_BYTES];
    size_t size = sizeof head;

    memcpy(out, &head, sizeof head);
    if (answer->frame_bytes > 0) {
        memcpy(out + size, answer->frame, answer->frame_bytes);
        size += answer->frame_bytes;
    }
    if (answer->console_bytes > 0) {
        memcpy(out + size, answer->console, answer->console_bytes);
        size += answer->console_bytes;
    }
    return send_bytes(lockstep, out, size);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* instance.h - what the files of the posix port share. */
#ifndef ND_POSIX_INSTANCE_H
#define ND_POSIX_INSTANCE_H

#include "posix.h"
#include "slot.h"

struct nd_posix {
    struct nd_bsd bsd; /* first: it is the context of the calls */
    struct nd_clock clock;
    uint64_t idle_ns;  /* as of the clock's latest reading; the rest is clock.c's */
    uint64_t slept_ns; /* elapsed time less processor time, when last asked */
    uint64_t start_ns; /* time of the instance's making, and processor time then */
    uint64_t start_cpu_ns;
    uint64_t read_ns;  /* time of the latest reading */
    uint64_t asked_ns; /* time when the processor time was last asked for */
    int epoll_fd;
    int reserve_fd; /* given up for a moment to turn a caller away when descriptors are out */
    char version[128];
};

/* The instance that this slot is of. */
static inline struct nd_posix *nd__posix_of(const struct nd_bsd_slot *slot) {
    return (struct nd_posix *)(void *)slot->bsd;
}

/* In linux.c: what Linux has beyond other systems. */
extern const struct nd__bsd_system nd__posix_linux;
int nd__posix_open_reserve(void);
int64_t nd__posix_unacked(int fd);

/* In clock.c: begin to count; and count idle up to now, asking for the processor time surely or
 * only when it is due. */
void nd__posix_start_clock(struct nd_posix *posix);
void nd__posix_count_idle(struct nd_posix *posix, uint64_t now_ns, bool surely);

#endif

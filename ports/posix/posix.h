/* SPDX-License-Identifier: BSD-3-Clause */
/* posix.h - the network stack of this machine's kernel, by non-blocking sockets and epoll.
 *
 * For the tool, not for firmware: it allocates. TCP and UDP, IPv4 and IPv6. One thread uses an
 * instance; several instances may live in one process. */
#ifndef ND_POSIX_H
#define ND_POSIX_H

#include <stdint.h>

#include "nd/clock.h"
#include "nd/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An instance. */
struct nd_posix;

/* How large to make it. All zero is a usable default. */
struct nd_posix_cfg {
    uint32_t slot_count;    /* connections, listeners and sockets together; 0 = 64 */
    uint32_t rx_bytes;      /* largest piece that rx() lends [byte]; 0 = 128 KiB. Allocated when a
                               slot first receives; a datagram socket has at least 64 KiB */
    uint32_t send_bytes;    /* SO_SNDBUF of each socket [byte]; 0 = the system's choice */
    uint32_t receive_bytes; /* SO_RCVBUF of each socket [byte]; 0 = the system's choice */
    uint32_t datagram_receive_bytes; /* the same of datagram sockets alone; 0 = receive_bytes */
};

/* Make an instance; NULL with errno set when memory or descriptors are out. cfg may be NULL. */
struct nd_posix *nd_posix_create(const struct nd_posix_cfg *cfg);

/* Reset every connection, close every socket, free all. NULL is allowed. */
void nd_posix_destroy(struct nd_posix *posix);

/* Sleep until the next step() would find something, a watched descriptor is readable, a signal
 * comes (ND_OK for all three) or timeout_ns has passed (ND_AGAIN). UINT64_MAX: no limit.
 * Call it only when the engines had nothing to do: what a step() told already wakes nobody. */
int nd_posix_wait(struct nd_posix *posix, uint64_t timeout_ns);

/* Let this descriptor (console, signalfd, timerfd ...) end the sleep too, for as long as it is
 * readable. ND_OK; ND_E_UNSUPPORTED for a kind that cannot be waited for, such as a file;
 * ND_E_MEMORY; ND_E_STATE when it is watched already. */
int nd_posix_watch(struct nd_posix *posix, int fd);

/* No longer. Call it before closing the descriptor, and at its end of file, where it would be
 * readable for ever. */
void nd_posix_unwatch(struct nd_posix *posix, int fd);

/* CLOCK_MONOTONIC in nanoseconds, 32 bits wide: to be read at least every 4.29 s. Reading it
 * brings nd_posix_idle_ns() up to date, so an agent that uses that one needs this clock. */
const struct nd_clock *nd_posix_clock(const struct nd_posix *posix);

/* Time since nd_posix_create() in which no processor worked for this process [ns]: elapsed time
 * less processor time, so that having slept and having been kept waiting by others both count. It
 * is as of the clock's latest reading, and grows by no more than passed since the one before. Valid
 * until nd_posix_destroy(). In ticks of nd_posix_clock() it is what struct nd_agent_cfg calls
 * idle_ticks; in a process of several threads it tells nothing. */
const uint64_t *nd_posix_idle_ns(const struct nd_posix *posix);

/* errno behind the latest listen(), connect() or udp_open() that failed; 0 = none has. They leave
 * no connection whose cause() could tell. */
int nd_posix_errno(const struct nd_posix *posix);

/* CLOCK_MONOTONIC in full [ns]. */
uint64_t nd_posix_now_ns(void);

/* Processor time of this process, all threads, user and system [ns]. */
uint64_t nd_posix_cpu_ns(void);

/* The port; its context is a struct nd_posix. */
extern const struct nd_port nd_port_posix;

#ifdef __cplusplus
}
#endif
#endif

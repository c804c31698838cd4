/* SPDX-License-Identifier: BSD-3-Clause */
/* kit.h - what the cases of the suite share: turns, pairs of connections, checked streams. */
#ifndef ND_CONTRACT_KIT_H
#define ND_CONTRACT_KIT_H

/* cmocka.h needs these four before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>

#include "suite.h"

/* Turns after which something awaited counts as never happening; tens of seconds where a turn
 * is a millisecond. */
#define PATIENCE_TURNS 30000u

/* Turns without progress after which a pipe counts as full, or a network as settled. */
#define QUIET_TURNS 60u

/* Longest single write [byte]. */
#define WRITE_BYTES (1024u * 1024u)

/* The port under test and its context. */
extern struct rig *rig;
extern const struct nd_port *port;

/* Let time pass and the stack work once. */
void turn(void);
void turns(unsigned count);

/* Turn until the condition holds; the test fails when it never does. */
#define AWAIT(condition)                                                                           \
    for (unsigned waited = 0; !(condition); waited++) {                                            \
        assert_true(waited < PATIENCE_TURNS);                                                      \
        turn();                                                                                    \
    }

/* A listener, and where to reach it. */
struct nd_conn *open_listener(struct nd_addr *reach);

/* Begin a connection; the test fails unless a slot was there. */
struct nd_conn *connect_to(const struct nd_addr *to);

/* Take the next caller of this listener, waiting for it. */
struct nd_conn *accept_from(struct nd_conn *listener);

/* An established connection: the end that called and the end that was called. */
struct pair {
    struct nd_conn *near;
    struct nd_conn *far;
};

/* Connect through this listener, until both ends say it stands. */
struct pair pair_via(struct nd_conn *listener, const struct nd_addr *reach);

/* The same through a listener of its own, which is closed again. */
struct pair pair_open(void);

void pair_close(struct pair pair);

/* A one-way flow of the pattern, checked byte for byte as it arrives. All zero but the ends and
 * the chunk is a start. */
struct stream {
    struct nd_conn *from;
    struct nd_conn *to;
    uint32_t chunk; /* bytes per write, up to WRITE_BYTES */
    unsigned flags; /* ND_TX_* */
    uint64_t sent;
    uint64_t got;
};

/* Write one chunk, less where total ends. What tx() said. Without ND_TX_STATIC the bytes handed
 * over are spoilt right after. */
int32_t stream_send(struct stream *stream, uint64_t total);

/* Read once, at most max bytes, and check them. What rx() said, or max when it said more. */
int32_t stream_take(struct stream *stream, uint32_t max);

/* Read what arrives until as much came as was sent. */
void stream_drain(struct stream *stream);

/* Write until the pipe is full and stays so. Bytes taken. */
uint64_t stream_fill(struct stream *stream);

/* Write and read until total bytes passed. */
void stream_run(struct stream *stream, uint64_t total);

/* rx() answers ND_EOF, now or soon, with nothing before it; and again. */
void expect_eof(struct nd_conn *conn);

/* The peer broke off: what had arrived may still come, then every call says ND_E_RESET. */
void expect_reset(struct nd_conn *conn);

/* Every slot of the pool can be had. Uses them all for a moment. */
void expect_all_slots_free(void);

/* A case: a fresh instance before it, none after it. */
#define CASE(function) cmocka_unit_test_setup_teardown(function, setup_case, teardown_case)

int setup_case(void **state);
int teardown_case(void **state);

/* One file of cases each. They return the number that failed. */
int run_stream_cases(void);
int run_end_cases(void);
int run_abort_cases(void);
int run_pool_cases(void);
int run_udp_cases(void);

#endif

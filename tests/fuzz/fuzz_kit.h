/* SPDX-License-Identifier: BSD-3-Clause */
/* fuzz_kit.h - an agent over the loop port with a clock of its own, and a peer who says anything.
 */
#ifndef FUZZ_KIT_H
#define FUZZ_KIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "loop.h"
#include "nd/agent.h"

#define FUZZ_SLOTS      12
#define FUZZ_RING_BYTES 6000

struct fuzz {
    struct nd_loop loop;
    struct nd_loop_slot slots[FUZZ_SLOTS];
    uint8_t rings[FUZZ_SLOTS * FUZZ_RING_BYTES];
    struct nd_clock clock;
    uint32_t ticks; /* [us] */
    struct nd_agent agent;
    struct nd_report_sink sink;
    const uint8_t *data; /* what is left of the input */
    size_t size;
};

/* Begin with this input. Every report is looked at: figures that cannot be abort. */
void fuzz_begin(struct fuzz *fuzz, const uint8_t *data, size_t size);

/* Poll so many times, `us` apart. */
void fuzz_run(struct fuzz *fuzz, unsigned polls, uint32_t us);

/* The input's next byte, 0 when there is none. */
uint8_t fuzz_byte(struct fuzz *fuzz);

/* Take up to len bytes of the input. */
const uint8_t *fuzz_take(struct fuzz *fuzz, size_t *len);

/* 10.0.0.1:port */
struct nd_addr fuzz_addr(uint16_t port);

/* Connect to a service and send the rest of the input in pieces, then end or break off. */
void fuzz_call(struct fuzz *fuzz, uint16_t to);

/* Send the rest of the input as datagrams, from two sockets, and read what comes back. */
void fuzz_send(struct fuzz *fuzz, uint16_t from, uint16_t to);

/* Stop the tests, close the agent: abort when a connection is left over. */
void fuzz_end(struct fuzz *fuzz);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/memtest.h - the three-phase memory test known from picoTCP.
 *
 * Over one TCP connection, default port 7: the client sends `bytes`, the server sends as many,
 * then the server echoes what comes until 2 x `bytes` have passed, in messages of up to
 * ND_CFG_MESSAGE_BYTES that each leave in one piece. There is no header; both sides count. */
#ifndef ND_MEMTEST_H
#define ND_MEMTEST_H

#include "nd/agent.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ND_MEMTEST_PORT  7u
#define ND_MEMTEST_BYTES 1048576u /* per phase, as the origin [byte] */

enum nd_memtest_phase { ND_MEMTEST_UP, ND_MEMTEST_DOWN, ND_MEMTEST_ECHO, ND_MEMTEST_DONE };

/* State shared by both roles. Phase names in reports are the device's: "rx", "tx", "echo". */
struct nd_memtest_run {
    struct nd_session session;
    enum nd_memtest_phase phase;
    uint64_t bytes;      /* per phase [byte] */
    uint64_t begin;      /* of this phase [ticks] */
    struct nd_flow flow; /* of this phase */
    struct nd_heap_meter heap;
    uint32_t filled; /* bytes of message[] that are to be sent [byte] */
    uint32_t sent;   /* of these, sent [byte] */
    bool ending;     /* end() was called */
    uint8_t message[ND_CFG_MESSAGE_BYTES];
};

/* The device's side: one caller at a time, the next waits in the stack. */
struct nd_memtest_server {
    struct nd_service service;
    struct nd_memtest_run run;
};

/* Serve at *at. bytes: per phase, 0 = ND_MEMTEST_BYTES. Returns the port's result. */
int nd_memtest_serve(struct nd_memtest_server *server, struct nd_agent *agent,
                     const struct nd_addr *at, uint64_t bytes);

/* The PC's side. */
struct nd_memtest_client {
    struct nd_memtest_run run;
};

/* Run the test against *to; reports arrive per phase, the last with report.last.
 * bytes: per phase, 0 = ND_MEMTEST_BYTES. Returns the port's result. */
int nd_memtest_connect(struct nd_memtest_client *client, struct nd_agent *agent,
                       const struct nd_addr *to, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif

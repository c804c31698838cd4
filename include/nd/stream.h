/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/stream.h - what the small TCP servers (echo, discard, chargen) have in common.
 *
 * Each serves as many connections at once as its owner gives places, and keeps no byte of
 * their traffic: only counters. A connection ends when its caller ends it. */
#ifndef ND_STREAM_H
#define ND_STREAM_H

#include "nd/agent.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One connection. */
struct nd_stream_conn {
    struct nd_session session;
    struct nd_flow flow;
    uint64_t begin;  /* accepted [ticks] */
    uint32_t offset; /* chargen: place in its pattern [byte] */
    bool ending;     /* the caller ended its direction; ours is on its way */
};

/* One server. Owner: the caller, conns[] included. */
struct nd_stream_server {
    struct nd_service service;
    struct nd_stream_conn *conns;
    uint32_t conn_count;
};

#ifdef __cplusplus
}
#endif
#endif

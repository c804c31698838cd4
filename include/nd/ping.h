/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/ping.h - ICMP echo (RFC 792): the round trip of the network alone.
 *
 * The port contract knows nothing of ICMP. Who has a stack that can send it supplies a path;
 * without one the command answers that it is not supported. */
#ifndef ND_PING_H
#define ND_PING_H

#include "nd/console.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Header of an echo message, and the most data that a frame of an Ethernet carries behind it
 * [byte].
 */
#define ND_PING_HEADER_BYTES 8u
#define ND_PING_BYTES_MAX    1472u

/* How echo requests leave and what comes back is heard. Owner: the caller; constant. */
struct nd_ping_path {
    void *ctx;
    /* Begin to listen for replies. ND_OK; ND_E_UNSUPPORTED where this system lets nobody. */
    int (*open)(void *ctx);
    /* Send a request of this number with `bytes` of data (nd_ping_write()). ND_OK; ND_AGAIN when
     * there is no room now; or an error. */
    int (*send)(void *ctx, const struct nd_addr *to, uint16_t sequence, uint32_t bytes);
    /* The number of a reply that came; ND_AGAIN when none did. */
    int32_t (*heard)(void *ctx);
    void (*close)(void *ctx);
};

struct nd_ping_cfg {
    struct nd_addr to;
    uint32_t count;     /* requests; 0 = 4 */
    uint32_t bytes;     /* of data; at most ND_PING_BYTES_MAX */
    uint32_t period_ms; /* from one to the next; 0 = 1 s */
};

/* One test. Owner: the caller, all zero before the first. */
struct nd_ping {
    struct nd_session session;
    const struct nd_ping_path *path; /* NULL = none: not supported */
    struct nd_console *console;      /* hears of each reply; NULL = nobody */
    struct nd_ping_cfg cfg;
    struct nd_flow flow;
    uint64_t begin;   /* [ticks] */
    uint64_t sent_at; /* the latest request [ticks] */
    uint32_t sent;    /* requests, which are numbered from 1 */
    uint32_t replies; /* in time */
    bool awaiting;    /* the latest one's reply */
};

/* Begin. ND_OK; ND_E_UNSUPPORTED without a path or where the path says so; ND_E_ARG for another
 * family than IPv4; ND_E_STATE when *ping is in use. Ends with a report whose round trips are the
 * replies that came within a second, with ND_E_TIMEOUT when none did. */
int nd_ping_start(struct nd_ping *ping, struct nd_agent *agent, const struct nd_ping_cfg *cfg);

/* The console command: "ping [-n N] [-l BYTES] [-i MS] HOST". command and ping: the caller's, ping
 * all zero but for the path. */
void nd_ping_command(struct nd_command *command, struct nd_ping *ping);

/* Write an echo request into message[0 .. ND_PING_HEADER_BYTES + bytes), checksum included. */
void nd_ping_write(uint8_t *message, uint16_t identifier, uint16_t sequence, uint32_t bytes);

/* The number of the echo reply that len bytes of an ICMP message are, if it has this identifier;
 * else ND_AGAIN. */
int32_t nd_ping_read(const uint8_t *message, uint32_t len, uint16_t identifier);

#ifdef __cplusplus
}
#endif
#endif

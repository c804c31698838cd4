/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/rr.h - request and response: how long a round trip takes, and how many fit into a second.
 *
 * The other end is an echo service (RFC 862) over TCP or UDP. Over TCP every byte is compared. A
 * UDP answer that does not come in time counts as lost and the test goes on. In connect mode every
 * round trip has a connection of its own, closed in order: connections per second are counted. */
#ifndef ND_RR_H
#define ND_RR_H

#include "nd/agent.h"
#include "nd/console.h"
#include "nd/sequence.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ND_RR_PORT       7u    /* echo */
#define ND_RR_BYTES      64u   /* a message, when nobody says how long [byte] */
#define ND_RR_BYTES_MAX  1024u /* longest message [byte] */
#define ND_RR_BYTES_MIN  8u    /* shortest over UDP: it bears its number [byte] */
#define ND_RR_COUNT      1000u
#define ND_RR_TIMEOUT_MS 500u

/* All zero but `to` is 1000 round trips of 64 bytes over one TCP connection. */
struct nd_rr_cfg {
    struct nd_addr to;
    bool udp;
    bool connect;            /* TCP: a connection for every round trip */
    uint32_t bytes;          /* per message [byte]; 0 = ND_RR_BYTES */
    uint64_t count;          /* round trips; 0 = ND_RR_COUNT, or no end with duration_ns */
    uint64_t duration_ns;    /* end after so long; 0 = never */
    uint64_t period_ns;      /* from request to request [ns]; 0 = as soon as the answer is there */
    uint32_t timeout_ms;     /* UDP: an answer is lost then [ms]; 0 = ND_RR_TIMEOUT_MS */
    struct nd_hist *latency; /* the caller's; gets round trips, in connect mode with the connection
                                made and ended [ns]. NULL = not kept */
};

/* A test. Owner: the caller; in use until its report has gone out (session.number is 0). */
struct nd_rr {
    struct nd_session session;
    struct nd_rr_cfg cfg;
    struct nd_flow flow;
    uint64_t begin;   /* [ticks] */
    uint64_t until;   /* end then [ticks] */
    uint64_t period;  /* [ticks] */
    uint64_t timeout; /* [ticks] */
    uint64_t next;    /* the next request may leave [ticks] */
    uint64_t sent_at; /* the present one left, or its connection was begun [ticks] */
    uint64_t done;    /* round trips, lost ones included */
    uint64_t lost;
    uint64_t late;  /* UDP: answers to requests that are over */
    uint32_t out;   /* bytes of the request sent [byte] */
    uint32_t back;  /* bytes of the answer received [byte] */
    bool connected; /* TCP */
    bool asking;    /* a request is on its way */
    bool ending;    /* TCP: the connection is being closed */
    uint8_t message[ND_RR_BYTES_MAX];
};

/* Begin. ND_OK; ND_E_ARG for a length that cannot be; ND_E_STATE when *rr is in use; or the port's
 * result. */
int nd_rr_start(struct nd_rr *rr, struct nd_agent *agent, const struct nd_rr_cfg *cfg);

/* What the console command needs: a test and its histogram, of 12.5 % error; 2.2 KB. */
#define ND_RR_HIST_BITS 3u
struct nd_rr_console {
    struct nd_rr rr;
    struct nd_hist latency;
    uint32_t buckets[ND_HIST_BUCKETS(ND_RR_HIST_BITS)];
};

/* The console command: "rr [-u|-C] [-n N] [-l BYTES] [-T MS] [-i US] [-p PORT] HOST"; -C makes a
 * connection for every round trip, -i is the time from request to request. command and rr: the
 * caller's, rr all zero. */
void nd_rr_command(struct nd_command *command, struct nd_rr_console *rr);

#ifdef __cplusplus
}
#endif
#endif

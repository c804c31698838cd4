/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/report.h - what one test, or one phase of it, came to. */
#ifndef ND_REPORT_H
#define ND_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "nd/addr.h"
#include "nd/hist.h"
#include "nd/memory.h"
#include "nd/sequence.h"

#ifdef __cplusplus
extern "C" {
#endif

/* When a direction first and last moved a byte. Valid only when bytes > 0. */
struct nd_span_bytes {
    uint64_t bytes;       /* moved in all [byte] */
    uint64_t first_bytes; /* of these, moved at the instant `first` [byte] */
    uint64_t first;       /* agent time [ticks] */
    uint64_t last;        /* agent time [ticks] */
    uint64_t idle_first;  /* the owner's idle count at `first` [ticks] */
    uint64_t idle_last;   /* and at `last` [ticks] */
};

/* Both directions of one connection, as the engine saw them. */
struct nd_flow {
    struct nd_span_bytes rx;
    struct nd_span_bytes tx;
};

/* One outcome. Lives only during the call that hands it over; strings are static. */
struct nd_report {
    const char *engine; /* "memtest", "ttcp" ... */
    const char *role;   /* "server" or "client" */
    const char *phase;  /* "rx", "tx", "echo", or NULL when the test has no phases */
    uint32_t session;   /* number of the test, counted from 1 since start */
    uint32_t stream;    /* which of several parallel ones, from 1; 0 = all there is */
    bool last;          /* no further phase of this test follows */
    bool interval;      /* of a test in progress: flow and datagrams since the report before */
    int result;         /* nd/error.h */
    int32_t cause;      /* the stack's raw code behind the result, 0 = none */
    struct nd_addr peer;
    uint64_t expected_bytes; /* agreed amount of the phase [byte]; 0 = none agreed */
    struct nd_flow flow;
    uint64_t begin;     /* the test or phase began [ticks] */
    uint64_t end;       /* and ended [ticks] */
    int64_t tail_ticks; /* last byte sent to last byte acknowledged [ticks], or enum nd_absent */
    uint32_t buflen;    /* bytes per write or message [byte]; 0 = not fixed */
    const struct nd_heap_meter *heap;    /* sampled during the test; NULL = not sampled */
    const struct nd_hist *latency;       /* of messages or chunks [ns]; NULL = not measured */
    const struct nd_sequence *datagrams; /* received and counted here; NULL = none */
    const struct nd_sequence
        *peer_datagrams;    /* ours, as the receiver reports; NULL = it does not */
    uint64_t peer_ns;       /* and how long it received them [ns]; 0 = it does not say */
    uint64_t tx_datagrams;  /* sent; 0 = none */
    uint64_t rx_datagrams;  /* received, where they bear no numbers; 0 = none */
    uint64_t round_trips;   /* completed; 0 = not that kind of test */
    uint64_t chunks;        /* sent whole; 0 = not that kind of test */
    uint64_t chunks_missed; /* appeared and were overwritten before their turn */
    uint64_t tx_failures;   /* sends that the stack refused for want of room; no id was spent */
    const char *message;    /* what went wrong and what to do, static; NULL = the result says it */
};

/* Somebody who wants every report. Owner: the caller; linked into an agent's list. */
struct nd_report_sink {
    void (*put)(void *ctx, const struct nd_report *report); /* from poll context; must not block */
    void *ctx;
    struct nd_report_sink *next; /* the agent's */
};

/* Ticks between the first and the last byte; 0 when fewer than two instants moved bytes. */
uint64_t nd_span_elapsed(const struct nd_span_bytes *span);

/* Of these, ticks in which the processor was not idle. */
uint64_t nd_span_busy(const struct nd_span_bytes *span);

/* Goodput of a direction [bit/s]: the bytes after the first instant over the time since it, so
 * that n segments are divided by the n - 1 gaps between them; ND_NO_SAMPLES when fewer than
 * two instants moved bytes. hz: rate of the agent's clock [ticks/s]. */
int64_t nd_span_goodput_bit_s(const struct nd_span_bytes *span, uint32_t hz);

#ifdef __cplusplus
}
#endif
#endif

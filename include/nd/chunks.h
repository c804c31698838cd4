/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/chunks.h - the load `stream`: data that a device makes at its own rate.
 *
 * Chunks of a fixed length appear at a set rate, as by DMA from a converter. The device reduces
 * each to half by a copy, puts a header in front, and sends that over TCP; nobody acknowledges a
 * chunk. One chunk can wait while the one before is being sent; what appears meanwhile is missed
 * and counted: the device has fallen behind. Without a rate the next chunk appears as soon as the
 * one before has been handed to the stack, which gives the time per chunk. */
#ifndef ND_CHUNKS_H
#define ND_CHUNKS_H

#include "nd/agent.h"
#include "nd/console.h"
#include "nd/pace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* In front of every half chunk, big-endian: "NDch", number of the chunk from 0, length of what
 * follows, chunks missed so far [byte]. */
#define ND_CHUNKS_HEADER_BYTES 16u

/* A chunk, when nobody says how long [byte], and its limits; a multiple of 4. */
#define ND_CHUNKS_BYTES     4096u
#define ND_CHUNKS_BYTES_MIN 4u
#define ND_CHUNKS_BYTES_MAX 1048576u

#define ND_CHUNKS_COUNT 1000u

/* Memory that chunks of so many bytes take: the chunk, and what is sent of it [byte]. */
#define ND_CHUNKS_MEMORY(chunk_bytes) ((chunk_bytes) + (chunk_bytes) / 2u + ND_CHUNKS_HEADER_BYTES)

/* All zero but `to` is 1000 chunks of 4 KiB, or the longest there is room for, as fast as they go.
 */
struct nd_chunks_cfg {
    struct nd_addr to;    /* a receiver that drops what comes; port 0 = discard */
    uint32_t chunk_bytes; /* 0 = ND_CHUNKS_BYTES, or as many as there is room for */
    uint64_t chunk_mhz;   /* chunks in 1000 seconds; 0 = the next as soon as one has gone */
    uint64_t count;       /* chunks that appear; 0 = ND_CHUNKS_COUNT, or no end with duration_ns */
    uint64_t duration_ns; /* end after so long; 0 = never */
    struct nd_hist *latency; /* the caller's; gets the time from a chunk's appearance until its last
                                byte was with the stack [ns]. NULL = not kept */
};

/* A test. Owner: the caller; in use until its report has gone out (session.number is 0). */
struct nd_chunks {
    struct nd_session session;
    struct nd_chunks_cfg cfg;
    uint8_t *memory;       /* the chunk, and behind it what is sent */
    uint32_t memory_bytes; /* [byte] */
    struct nd_pace pace;
    struct nd_flow flow;
    uint64_t begin;    /* [ticks] */
    uint64_t until;    /* end then [ticks] */
    uint64_t appeared; /* the chunk in hand did [ticks] */
    uint64_t done;     /* chunks handed to the stack whole */
    uint64_t missed;   /* chunks that appeared while another one waited */
    uint32_t sent;     /* of the chunk in hand [byte] */
    bool connected;
    bool sending; /* a chunk is in hand */
    bool ending;
};

/* Give a test its memory, once: ND_CHUNKS_MEMORY(longest chunk) bytes, the caller's, aligned to 4,
 * which outlive it. *chunks is all zero. */
void nd_chunks_init(struct nd_chunks *chunks, uint8_t *memory, uint32_t memory_bytes);

/* Begin. ND_OK; ND_E_ARG for a length that is no multiple of 4 or too long for the memory;
 * ND_E_STATE when *chunks is in use; or the port's result. */
int nd_chunks_start(struct nd_chunks *chunks, struct nd_agent *agent,
                    const struct nd_chunks_cfg *cfg);

/* What the console command needs: a test and its histogram, of 25 % error; its minimum, maximum
 * and mean are exact. */
#define ND_CHUNKS_HIST_BITS 2u
struct nd_chunks_console {
    struct nd_chunks chunks;
    struct nd_hist latency;
    uint32_t buckets[ND_HIST_BUCKETS(ND_CHUNKS_HIST_BITS)];
};

/* The console command: "stream [-l BYTES] [-r MHZ] [-n N] [-T MS] [-p PORT] HOST"; -r is in chunks
 * per 1000 s. command and console: the caller's, with memory given by nd_chunks_init(). */
void nd_chunks_command(struct nd_command *command, struct nd_chunks_console *console);

#ifdef __cplusplus
}
#endif
#endif

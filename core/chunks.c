/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/chunks.h"

#include <string.h>

#include "nd/discard.h"
#include "pattern.h"
#include "session.h"
#include "stream.h"

static struct nd_chunks *chunks_of(struct nd_session *session) {
    return (struct nd_chunks *)session;
}

static uint32_t message_bytes(const struct nd_chunks *chunks) {
    return ND_CHUNKS_HEADER_BYTES + chunks->cfg.chunk_bytes / 2;
}

static uint8_t *message(const struct nd_chunks *chunks) {
    return chunks->memory + chunks->cfg.chunk_bytes;
}

static void finish(struct nd_chunks *chunks, int result, int64_t tail_ticks) {
    struct nd_report report = {
        .role = "client",
        .phase = "tx",
        .last = true,
        .result = result,
        .flow = chunks->flow,
        .begin = chunks->begin,
        .tail_ticks = tail_ticks,
        .buflen = chunks->cfg.chunk_bytes,
        .latency = chunks->cfg.latency,
        .chunks = chunks->done,
        .chunks_missed = chunks->missed,
    };

    nd_session_report(&chunks->session, &report);
    nd_session_leave(&chunks->session);
}

static void stop(struct nd_session *session, int why) {
    finish(chunks_of(session), why, ND_NO_SAMPLES);
}

/* ---- a chunk ------------------------------------------------------------------------- */

static void put_u32(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 24);
    at[1] = (uint8_t)(value >> 16);
    at[2] = (uint8_t)(value >> 8);
    at[3] = (uint8_t)value;
}

/* Reduce the chunk to half and put the header in front. */
static void make_message(struct nd_chunks *chunks) {
    uint8_t *at = message(chunks);
    uint32_t half = chunks->cfg.chunk_bytes / 2;

    put_u32(at, 0x4E446368u); /* "NDch" */
    put_u32(at + 4, (uint32_t)(chunks->done + chunks->missed));
    put_u32(at + 8, half);
    put_u32(at + 12, (uint32_t)chunks->missed);
    memcpy(at + ND_CHUNKS_HEADER_BYTES, chunks->memory, half);
}

static bool is_paced(const struct nd_chunks *chunks) {
    return chunks->cfg.chunk_mhz > 0;
}

/* Chunks that were overwritten before the one that waits now. */
static void skip_missed(struct nd_chunks *chunks) {
    struct nd_pace next = chunks->pace;

    nd_pace_step(&next);
    while (nd_pace_due(&next, chunks->session.agent->now)) {
        chunks->missed++;
        chunks->pace = next;
        nd_pace_step(&next);
    }
}

/* True when there is a chunk in hand now. */
static bool take_chunk(struct nd_chunks *chunks) {
    uint64_t now = chunks->session.agent->now;

    chunks->appeared = now;
    if (is_paced(chunks)) {
        if (!nd_pace_due(&chunks->pace, now)) {
            uint64_t due = chunks->pace.due;
            chunks->session.wake = due < chunks->until ? due : chunks->until;
            return false;
        }
        skip_missed(chunks);
        chunks->appeared = chunks->pace.due;
        nd_pace_step(&chunks->pace);
    }
    make_message(chunks);
    chunks->sent = 0;
    chunks->sending = true;
    chunks->session.wake = UINT64_MAX;
    return true;
}

static void end_chunk(struct nd_chunks *chunks) {
    const struct nd_agent *agent = chunks->session.agent;

    chunks->sending = false;
    chunks->done++;
    if (chunks->cfg.latency != NULL) {
        nd_hist_add(chunks->cfg.latency, nd_agent_ns(agent, agent->now - chunks->appeared));
    }
}

/* Hand on what the stack takes. Returns the port's answer. */
static int32_t send_chunk(struct nd_chunks *chunks) {
    uint32_t left = message_bytes(chunks) - chunks->sent;
    int32_t n = nd__stream_send(&chunks->session, &chunks->flow.tx, message(chunks) + chunks->sent,
                                left, 0);

    if (n > 0) {
        chunks->sent += (uint32_t)n;
        if ((uint32_t)n == left) {
            end_chunk(chunks);
        }
    }
    return n;
}

/* ---- the session --------------------------------------------------------------------- */

static void begin(struct nd_chunks *chunks) {
    const struct nd_agent *agent = chunks->session.agent;
    uint32_t hz = agent->cfg.clock->hz;
    uint64_t ns = chunks->cfg.duration_ns;

    chunks->connected = true;
    chunks->begin = agent->now;
    chunks->until = ns > 0 ? agent->now + nd_clock_ticks(ns, hz) : UINT64_MAX;
    /* 1000 units a chunk, so that a rate has three decimals. */
    nd_pace_start(&chunks->pace, agent->now, hz, 1000, chunks->cfg.chunk_mhz, 1);
}

static bool is_over(const struct nd_chunks *chunks) {
    return chunks->done + chunks->missed >= chunks->cfg.count ||
           chunks->session.agent->now >= chunks->until;
}

/* After the last chunk: FIN, then wait until the peer has acknowledged everything. */
static bool end(struct nd_chunks *chunks) {
    struct nd_agent *agent = chunks->session.agent;
    int result = agent->cfg.port->end(chunks->session.conn);

    chunks->ending = true;
    chunks->session.wake = UINT64_MAX;
    if (result == ND_AGAIN) {
        return false;
    }
    finish(chunks, result, nd__session_tail(&chunks->session, result, chunks->flow.tx.last));
    return true;
}

static bool poll(struct nd_session *session) {
    struct nd_chunks *chunks = chunks_of(session);
    int32_t n;

    if (!chunks->connected) {
        n = session->agent->cfg.port->status(session->conn);
        if (n == ND_OK) {
            begin(chunks);
            return true;
        }
    } else if (chunks->ending || (!chunks->sending && is_over(chunks))) {
        return end(chunks);
    } else if (!chunks->sending && !take_chunk(chunks)) {
        return false;
    } else {
        n = send_chunk(chunks);
    }
    if (n > 0 || n == ND_AGAIN) {
        return n > 0;
    }
    finish(chunks, n, ND_NO_SAMPLES);
    return true;
}

static const struct nd_session_class kind = {.engine = "stream", .poll = poll, .stop = stop};

/* ---- beginning ----------------------------------------------------------------------- */

void nd_chunks_init(struct nd_chunks *chunks, uint8_t *memory, uint32_t memory_bytes) {
    chunks->memory = memory;
    chunks->memory_bytes = memory_bytes;
}

/* The longest chunk that the memory holds [byte]. */
static uint32_t room(const struct nd_chunks *chunks) {
    return (chunks->memory_bytes - ND_CHUNKS_HEADER_BYTES) / 6 * 4;
}

static bool set_defaults(struct nd_chunks *chunks) {
    struct nd_chunks_cfg *cfg = &chunks->cfg;
    uint32_t most = room(chunks);

    if (cfg->chunk_bytes == 0) {
        cfg->chunk_bytes = most < ND_CHUNKS_BYTES ? most : ND_CHUNKS_BYTES;
    }
    if (cfg->count == 0) {
        cfg->count = cfg->duration_ns == 0 ? ND_CHUNKS_COUNT : UINT64_MAX;
    }
    if (cfg->to.port == 0) {
        cfg->to.port = ND_DISCARD_PORT;
    }
    return cfg->chunk_bytes >= ND_CHUNKS_BYTES_MIN && cfg->chunk_bytes % 4 == 0 &&
           cfg->chunk_bytes <= most;
}

static void fill_source(struct nd_chunks *chunks) {
    for (uint32_t i = 0; i < chunks->cfg.chunk_bytes; i++) {
        chunks->memory[i] = (uint8_t)nd__pattern[i % ND__PATTERN_PERIOD];
    }
}

int nd_chunks_start(struct nd_chunks *chunks, struct nd_agent *agent,
                    const struct nd_chunks_cfg *cfg) {
    struct nd_conn *conn;
    int result;

    if (chunks->session.number != 0) {
        return ND_E_STATE;
    }
    *chunks = (struct nd_chunks){.cfg = *cfg,
                                 .memory = chunks->memory,
                                 .memory_bytes = chunks->memory_bytes,
                                 .begin = agent->now,
                                 .until = UINT64_MAX};
    if (!set_defaults(chunks)) {
        return ND_E_ARG;
    }
    fill_source(chunks);
    result = agent->cfg.port->connect(agent->cfg.port_ctx, &chunks->cfg.to, &conn);
    if (result == ND_OK) {
        nd_session_join(&chunks->session, &kind, agent, conn);
    }
    return result;
}

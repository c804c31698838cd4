/* SPDX-License-Identifier: BSD-3-Clause */
/* step_stream.c - chunks that a device makes: as fast as they go, at a given rate, and at the
 * highest rate that it keeps without falling behind. */
#include <stdio.h>

#include "nd/chunks.h"
#include "sink.h"
#include "steps.h"

/* The search ends when what is left to search is so much smaller than the rate. */
#define FINENESS 500u

/* Give the search up after so many runs. */
#define RUNS 24u

/* Rates are in chunks per 1000 s, this long [ns]. */
#define MHZ_NS UINT64_C(1000000000000)

/* One run of the load, as both ends report it. */
struct load {
    uint64_t mhz; /* asked for [chunks in 1000 s]; 0 = as fast as they go */
    uint64_t chunks;
    uint64_t missed;
    uint64_t chunk_bytes;
    struct sink_outcome outcome;
};

static uint64_t count_of(const json_t *report, const char *key) {
    return (uint64_t)json_integer_value(json_object_get(report, key));
}

/* Let the device send chunks for the set time. ND_OK, or the error in rig->target.error. */
static int run(struct rig *rig, struct load *load) {
    const struct settings *settings = &rig->settings;
    char command[96], length[32] = "", rate[32] = "";
    int result;

    if (settings->chunk_bytes > 0) {
        snprintf(length, sizeof length, " -l %llu", (unsigned long long)settings->chunk_bytes);
    }
    if (load->mhz > 0) {
        snprintf(rate, sizeof rate, " -r %llu", (unsigned long long)load->mhz);
    }
    snprintf(command, sizeof command, "stream%s%s -T %llu", length, rate,
             (unsigned long long)(settings->duration_ns / 1000000u));
    rig_clear_reports(rig);
    result = sink_receive_tcp(rig, "stream", command, &load->outcome);
    if (result == ND_OK) {
        load->chunks = count_of(load->outcome.theirs, "chunks");
        load->missed = count_of(load->outcome.theirs, "chunks_missed");
        load->chunk_bytes = count_of(load->outcome.theirs, "buflen_bytes");
    }
    return result;
}

/* Time from chunk to chunk, over all but the first [ns]; 0 = too few. */
static uint64_t time_per_chunk(const struct load *load) {
    const struct measure_span *sent = &load->outcome.sent;

    return load->chunks > 1 ? (sent->last_ns - sent->first_ns) / (load->chunks - 1) : 0;
}

/* Enter what a run came to. */
static void describe(struct rig *rig, json_t *step, const struct load *load) {
    uint64_t chunk_ns = time_per_chunk(load);
    struct measure_span rate = measure_rate_span(step, &load->outcome.ours->rx, //
                                                 &load->outcome.sent);

    result_value(step, "chunk_bytes", (int64_t)load->chunk_bytes);
    if (load->mhz > 0) {
        result_ratio(step, "offered_chunks_s", load->mhz, 1000);
        result_take(step, "handover", json_object_get(load->outcome.theirs, "latency"));
    }
    result_value(step, "chunks", (int64_t)load->chunks);
    result_value(step, "chunks_missed", (int64_t)load->missed);
    result_value(step, "chunk_ns", chunk_ns > 0 ? (int64_t)chunk_ns : (int64_t)ND_NO_SAMPLES);
    result_ratio(step, "chunks_s", UINT64_C(1000000000), chunk_ns);
    measure_add_goodput(step, &rig->device, &rate, 0);
    measure_add_busy(step, &rig->device, &load->outcome.sent);
    result_take(step, "tail_ns", json_object_get(load->outcome.theirs, "tail_ns"));
    rig_pass_step(step);
}

static void forget(struct load *load) {
    json_decref(load->outcome.theirs);
    load->outcome.theirs = NULL;
}

static int fail(struct rig *rig, json_t *step, int result) {
    rig_fail_step(step, "%s", rig->target.error);
    return result;
}

/* One run at a rate of its own as a step. */
static int step_at(struct rig *rig, const char *name, uint64_t mhz, uint64_t *free_mhz) {
    json_t *step = rig_begin_step(rig, name);
    struct load load = {.mhz = mhz};
    int result = run(rig, &load);

    if (result == ND_OK) {
        describe(rig, step, &load);
        *free_mhz = time_per_chunk(&load) > 0 ? MHZ_NS / time_per_chunk(&load) : 0;
    } else {
        fail(rig, step, result);
    }
    forget(&load);
    return result;
}

/* The highest rate at which no chunk is missed, between a rate that is kept and one that is not. A
 * run that kept its rate replaces *best. *moved_bytes: what all runs moved. */
static int search(struct rig *rig, uint64_t high_mhz, struct load *best, uint64_t *moved_bytes) {
    uint64_t low_mhz = 0;
    int result = ND_OK;

    for (unsigned i = 0; i < RUNS && result == ND_OK; i++) {
        if (high_mhz - low_mhz <= high_mhz / FINENESS + 1) {
            break;
        }
        struct load load = {.mhz = low_mhz + (high_mhz - low_mhz) / 2};
        if (low_mhz == 0) {
            load.mhz = high_mhz / 8 * 7; /* close below the free rate: where the answer is */
        }
        result = run(rig, &load);
        *moved_bytes += load.outcome.sent.bytes;
        if (result == ND_OK && load.missed == 0) {
            low_mhz = load.mhz;
            forget(best);
            *best = load;
        } else {
            high_mhz = load.mhz;
            forget(&load);
        }
    }
    return result;
}

static int step_most(struct rig *rig, const char *name, uint64_t free_mhz) {
    json_t *step = rig_begin_step(rig, name);
    struct load best = {.mhz = 0};
    /* A little above: the free rate has a tail in it. */
    uint64_t moved_bytes = 0;
    int result = search(rig, free_mhz + free_mhz / 16 + 2, &best, &moved_bytes);

    if (result != ND_OK) {
        fail(rig, step, result);
    } else if (best.mhz == 0) {
        rig_fail_step(step, "the device falls behind at any rate");
        result = ND_E_SHORT;
    } else {
        describe(rig, step, &best);
        result_value(step, "searched_bytes", (int64_t)moved_bytes);
    }
    forget(&best);
    return result;
}

int step_stream_free(struct rig *rig, const char *const *names) {
    uint64_t ignored;

    return step_at(rig, names[0], 0, &ignored);
}

int step_stream(struct rig *rig, const char *const *names) {
    uint64_t free_mhz = 0;
    uint64_t ignored;
    int result = step_at(rig, names[0], 0, &free_mhz);

    if (result != ND_OK) {
        rig_skip_step(rig, names[1], "the free rate is not known");
        return result;
    }
    if (rig->settings.chunks_s > 0) {
        return step_at(rig, names[1], rig->settings.chunks_s * 1000, &ignored);
    }
    return step_most(rig, names[1], free_mhz);
}

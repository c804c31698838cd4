/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/chunks.h"
#include "options.h"

#define USAGE "stream [-l BYTES] [-r MHZ] [-n N] [-T MS] [-p PORT] HOST"

enum { LENGTH, RATE_MHZ, COUNT, TIME_MS, PORT, OPTIONS };

static const char *configure(struct nd_chunks_cfg *cfg, int argc, char **argv) {
    struct nd__option options[OPTIONS] = {
        [LENGTH] = {'l', ND_CHUNKS_BYTES_MAX, 0},
        [RATE_MHZ] = {'r', 1000000000, 0},
        [COUNT] = {'n', UINT32_MAX, 0},
        [TIME_MS] = {'T', 86400000, 0},
        [PORT] = {'p', UINT16_MAX, 0},
    };
    struct nd_addr to = {.port = 0};
    const char *wrong = nd__options_read(options, OPTIONS, &to, USAGE, argc, argv);

    if (wrong != NULL) {
        return wrong;
    }
    *cfg = (struct nd_chunks_cfg){
        .to = to,
        .chunk_bytes = (uint32_t)options[LENGTH].value,
        .chunk_mhz = options[RATE_MHZ].value,
        .count = options[COUNT].value,
        .duration_ns = options[TIME_MS].value * 1000000u,
    };
    if (options[PORT].value != 0) {
        cfg->to.port = (uint16_t)options[PORT].value;
    }
    return NULL;
}

static void tell_start(struct nd_console *console, const struct nd_chunks *chunks) {
    struct nd_fmt out;

    nd_console_begin(console, &out, "start");
    if (console->json) {
        nd_json_u64(&out, "session", chunks->session.number);
        nd_json_u64(&out, "port", chunks->cfg.to.port);
        nd_json_u64(&out, "chunk_bytes", chunks->cfg.chunk_bytes);
    } else {
        nd_fmt_text(&out, "stream chunk:");
        nd_fmt_u64(&out, chunks->cfg.chunk_bytes);
        nd_fmt_text(&out, " port:");
        nd_fmt_u64(&out, chunks->cfg.to.port);
    }
    nd_console_end(console, &out);
}

static int run(struct nd_command *self, struct nd_console *console, unsigned step) {
    struct nd_chunks_console *mine = (struct nd_chunks_console *)self->ctx;
    struct nd_chunks_cfg cfg;
    int result;

    (void)step;
    console->message = configure(&cfg, console->argc, console->argv);
    if (console->message != NULL) {
        return ND_E_ARG;
    }
    if (mine->chunks.session.number != 0) {
        console->message = "a stream is in progress; stop ends it";
        return ND_E_STATE;
    }
    nd_hist_init(&mine->latency, mine->buckets, ND_CHUNKS_HIST_BITS);
    cfg.latency = &mine->latency;
    result = nd_chunks_start(&mine->chunks, console->agent, &cfg);
    if (result == ND_OK) {
        tell_start(console, &mine->chunks);
    } else if (result == ND_E_ARG) {
        console->message = "a chunk is a multiple of 4 byte, and no longer than this device's room";
    }
    return result;
}

void nd_chunks_command(struct nd_command *command, struct nd_chunks_console *console) {
    *command = (struct nd_command){.name = "stream", .usage = USAGE, .run = run, .ctx = console};
}

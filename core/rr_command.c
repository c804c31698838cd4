/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/rr.h"
#include "options.h"

#define USAGE "rr [-u|-C] [-n N] [-l BYTES] [-T MS] [-i US] [-p PORT] HOST"

enum { UDP, CONNECT, COUNT, LENGTH, TIME_MS, PERIOD_US, PORT, OPTIONS };

static const char *configure(struct nd_rr_cfg *cfg, int argc, char **argv) {
    struct nd__option options[OPTIONS] = {
        [UDP] = {'u', 0, 0},
        [CONNECT] = {'C', 0, 0},
        [COUNT] = {'n', UINT32_MAX, 0},
        [LENGTH] = {'l', ND_RR_BYTES_MAX, 0},
        [TIME_MS] = {'T', 86400000, 0},
        [PERIOD_US] = {'i', 1000000000, 0},
        [PORT] = {'p', UINT16_MAX, 0},
    };
    struct nd_addr to = {.port = 0};
    const char *wrong = nd__options_read(options, OPTIONS, &to, USAGE, argc, argv);

    if (wrong != NULL) {
        return wrong;
    }
    *cfg = (struct nd_rr_cfg){
        .to = to,
        .udp = options[UDP].value != 0,
        .connect = options[CONNECT].value != 0,
        .bytes = (uint32_t)options[LENGTH].value,
        .count = options[COUNT].value,
        .duration_ns = options[TIME_MS].value * 1000000u,
        .period_ns = options[PERIOD_US].value * 1000u,
    };
    if (options[PORT].value != 0) {
        cfg->to.port = (uint16_t)options[PORT].value;
    }
    return cfg->udp && cfg->connect ? "expected one of -u, -C" : NULL;
}

static int run(struct nd_command *self, struct nd_console *console, unsigned step) {
    struct nd_rr_console *rr = (struct nd_rr_console *)self->ctx;
    struct nd_rr_cfg cfg;
    struct nd_fmt out;
    int result;

    (void)step;
    console->message = configure(&cfg, console->argc, console->argv);
    if (console->message != NULL) {
        return ND_E_ARG;
    }
    if (rr->rr.session.number != 0) {
        console->message = "an rr test is in progress; stop ends it";
        return ND_E_STATE;
    }
    nd_hist_init(&rr->latency, rr->buckets, ND_RR_HIST_BITS);
    cfg.latency = &rr->latency;
    result = nd_rr_start(&rr->rr, console->agent, &cfg);
    if (result == ND_OK) {
        nd_console_begin(console, &out, "start");
        if (console->json) {
            nd_json_u64(&out, "session", rr->rr.session.number);
            nd_json_u64(&out, "port", rr->rr.cfg.to.port);
        } else {
            nd_fmt_text(&out, "rr port:");
            nd_fmt_u64(&out, rr->rr.cfg.to.port);
        }
        nd_console_end(console, &out);
    }
    return result;
}

void nd_rr_command(struct nd_command *command, struct nd_rr_console *rr) {
    *command = (struct nd_command){.name = "rr", .usage = USAGE, .run = run, .ctx = rr};
}

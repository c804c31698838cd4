/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/bypass.h"
#include "options.h"

#define USAGE "bypass [-l BYTES] [-b BIT_S] [-n N] [-T MS] [-c] [-p PORT] HOST"

enum { LENGTH, RATE, COUNT, TIME_MS, CHECKSUM, PORT, OPTIONS };

static const char *configure(struct nd_bypass_cfg *cfg, int argc, char **argv) {
    struct nd__option options[OPTIONS] = {
        [LENGTH] = {'l', ND_BYPASS_BYTES_MAX, 0},
        [RATE] = {'b', 1000000000000u, 0},
        [COUNT] = {'n', UINT32_MAX, 0},
        [TIME_MS] = {'T', 86400000, 0},
        [CHECKSUM] = {'c', 0, 0},
        [PORT] = {'p', UINT16_MAX, 0},
    };
    struct nd_addr to = {.port = 0};
    const char *wrong = nd__options_read(options, OPTIONS, &to, USAGE, argc, argv);

    if (wrong != NULL) {
        return wrong;
    }
    *cfg = (struct nd_bypass_cfg){
        .to = to,
        .payload_bytes = (uint32_t)options[LENGTH].value,
        .rate_bit_s = options[RATE].value,
        .count = options[COUNT].value,
        .duration_ns = options[TIME_MS].value * 1000000u,
        .checksum = options[CHECKSUM].value != 0,
    };
    if (options[PORT].value != 0) {
        cfg->to.port = (uint16_t)options[PORT].value;
    }
    return NULL;
}

static void tell_start(struct nd_console *console, const struct nd_bypass *bypass) {
    struct nd_fmt out;

    nd_console_begin(console, &out, "start");
    if (console->json) {
        nd_json_u64(&out, "session", bypass->session.number);
        nd_json_u64(&out, "port", bypass->cfg.to.port);
    } else {
        nd_fmt_text(&out, "bypass port:");
        nd_fmt_u64(&out, bypass->cfg.to.port);
    }
    nd_console_end(console, &out);
}

static int run(struct nd_command *self, struct nd_console *console, unsigned step) {
    struct nd_bypass *bypass = (struct nd_bypass *)self->ctx;
    struct nd_bypass_cfg cfg;
    int result;

    (void)step;
    console->message = configure(&cfg, console->argc, console->argv);
    if (console->message != NULL) {
        return ND_E_ARG;
    }
    result = nd_bypass_start(bypass, console->agent, &cfg);
    if (result == ND_OK) {
        tell_start(console, bypass);
    } else if (result == ND_E_STATE) {
        console->message = "a bypass test is in progress; stop ends it";
    } else if (result == ND_E_ARG) {
        console->message = "HOST is an IPv4 address";
    }
    return result;
}

void nd_bypass_command(struct nd_command *command, struct nd_bypass *bypass) {
    *command = (struct nd_command){.name = "bypass", .usage = USAGE, .run = run, .ctx = bypass};
}

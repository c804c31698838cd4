/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/ping.h"
#include "options.h"

#define USAGE "ping [-n N] [-l BYTES] [-i MS] HOST"

/* What ping programs send [byte]. */
#define BYTES 56u

enum { COUNT, LENGTH, PERIOD_MS, OPTIONS };

static void tell_start(struct nd_console *console, const struct nd_ping *ping) {
    struct nd_fmt out;

    nd_console_begin(console, &out, "start");
    if (console->json) {
        nd_json_u64(&out, "session", ping->session.number);
    } else {
        nd_fmt_text(&out, "ping requests:");
        nd_fmt_u64(&out, ping->cfg.count);
        nd_fmt_text(&out, " bytes:");
        nd_fmt_u64(&out, ping->cfg.bytes);
    }
    nd_console_end(console, &out);
}

static int run(struct nd_command *self, struct nd_console *console, unsigned step) {
    struct nd_ping *ping = (struct nd_ping *)self->ctx;
    struct nd__option options[OPTIONS] = {
        [COUNT] = {'n', UINT16_MAX, 0},
        [LENGTH] = {'l', ND_PING_BYTES_MAX, BYTES},
        [PERIOD_MS] = {'i', 3600000, 0},
    };
    struct nd_ping_cfg cfg = {.count = 0};
    int result;

    (void)step;
    console->message =
        nd__options_read(options, OPTIONS, &cfg.to, USAGE, console->argc, console->argv);
    if (console->message != NULL) {
        return ND_E_ARG;
    }
    cfg.count = (uint32_t)options[COUNT].value;
    cfg.bytes = (uint32_t)options[LENGTH].value;
    cfg.period_ms = (uint32_t)options[PERIOD_MS].value;
    if (ping->session.number == 0) {
        ping->console = console;
    }
    result = nd_ping_start(ping, console->agent, &cfg);
    if (result == ND_OK) {
        tell_start(console, ping);
    } else if (result == ND_E_UNSUPPORTED) {
        console->message = "ping: not_supported";
    }
    return result;
}

void nd_ping_command(struct nd_command *command, struct nd_ping *ping) {
    *command = (struct nd_command){.name = "ping", .usage = USAGE, .run = run, .ctx = ping};
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "driver_command.h"
#include "board.h"
#include "station.h"

#include "nd/clock.h"
#include "nd/error.h"

static void tell(const struct nd_console *console, struct nd_fmt *out, const char *key,
                 uint64_t value) {
    if (console->json) {
        nd_json_u64(out, key, value);
        return;
    }
    nd_fmt_char(out, ' ');
    nd_fmt_text(out, key);
    nd_fmt_char(out, '=');
    nd_fmt_u64(out, value);
}

static int run(struct nd_command *self, struct nd_console *console, unsigned step) {
    const struct nd_station_counts *counts = nd_station_counts();
    struct nd_fmt out;

    (void)self;
    (void)step;
    if (console->argc != 1) {
        console->message = "expected nothing after driver";
        return ND_E_ARG;
    }
    nd_console_begin(console, &out, "driver");
    if (!console->json) {
        nd_fmt_text(&out, "driver");
    }
    tell(console, &out, "rx_no_buffer_frames", counts->rx_no_buffer);
    tell(console, &out, "tx_waits", counts->tx_waits);
    tell(console, &out, "tx_wait_ns", nd_clock_ns(counts->tx_wait_ticks, ND_BOARD_HZ));
    tell(console, &out, "console_lost_bytes", counts->console_lost_bytes);
    nd_console_end(console, &out);
    return ND_OK;
}

void nd_driver_command(struct nd_command *command) {
    command->name = "driver";
    command->usage = "driver: what the Ethernet driver dropped and waited for";
    command->run = run;
}

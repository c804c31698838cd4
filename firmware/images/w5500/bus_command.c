/* SPDX-License-Identifier: BSD-3-Clause */
#include "bus_command.h"
#include "w5500/chip.h"
#include "wired.h"

#include "nd/error.h"

static const struct nd_w5500 *chip_port;

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
    const struct nd_w5500_counts *counts = &chip_port->counts;
    struct nd_fmt out;

    (void)self;
    (void)step;
    if (console->argc != 1) {
        console->message = "expected nothing after bus";
        return ND_E_ARG;
    }
    nd_console_begin(console, &out, "bus");
    if (!console->json) {
        nd_fmt_text(&out, "bus");
    }
    tell(console, &out, "bus_selects", chip_port->bus_counts.selects);
    tell(console, &out, "bus_bytes", chip_port->bus_counts.bytes);
    tell(console, &out, "bus_ns", nd_wired_bus_ns());
    tell(console, &out, "looks", counts->looks);
    tell(console, &out, "bursts", counts->bursts);
    tell(console, &out, "rx_datagrams", counts->datagrams);
    tell(console, &out, "dropped_datagrams", nd_chip_dropped_datagrams());
    tell(console, &out, "turned_away", counts->turned_away);
    tell(console, &out, "cut_off", counts->cut_off);
    tell(console, &out, "stuck", counts->stuck);
    nd_console_end(console, &out);
    return ND_OK;
}

void nd_bus_command(struct nd_command *command, const struct nd_w5500 *port) {
    chip_port = port;
    command->name = "bus";
    command->usage = "bus: what the chip cost on its bus, and what the port counted";
    command->run = run;
}

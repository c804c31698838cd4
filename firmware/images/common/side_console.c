/* SPDX-License-Identifier: BSD-3-Clause */
#include "side_console.h"

bool nd_side_console_work(struct nd_console *console) {
    const char *bytes;
    size_t count = nd_station_console_input(&bytes);
    bool moved = false;

    if (count > 0) {
        size_t taken = nd_console_input(console, bytes, count);
        nd_station_console_input_done(taken);
        moved = taken > 0;
    }
    moved |= nd_console_poll(console);
    count = nd_console_output(console, &bytes);
    if (count > 0) {
        nd_station_console_write(bytes, count);
        nd_console_output_done(console, count);
        moved = true;
    }
    return moved;
}

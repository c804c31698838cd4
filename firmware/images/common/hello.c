/* SPDX-License-Identifier: BSD-3-Clause */
#include "hello.h"
#include "board.h"
#include "build.h"
#include "station.h"

#include "nd/fmt.h"

void nd_hello(const char *app, const char *stack) {
    char line[128];
    struct nd_fmt out;

    nd_fmt_init(&out, line, sizeof(line));
    nd_fmt_text(&out, "netdyno ");
    nd_fmt_text(&out, app);
    nd_fmt_text(&out, " " ND_BUILD_VERSION ", ");
    nd_fmt_text(&out, stack);
    nd_fmt_text(&out, " on " ND_BOARD_NAME "\n");
    nd_station_console_write(line, nd_fmt_length(&out));
}

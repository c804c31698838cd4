/* SPDX-License-Identifier: BSD-3-Clause */
/* What lwIP asks of its platform: time, random numbers, and somewhere to say that it is broken. */
#include "platform.h"
#include "board.h"
#include "machine.h"
#include "milliseconds.h"
#include "station.h"

#include <string.h>

#include "nd/fmt.h"

#include "arch/cc.h"
#include "lwip/sys.h"
#include "lwip/timeouts.h"

uint32_t sys_now(void) {
    return nd_milliseconds();
}

uint32_t nd_platform_wait(void) {
    uint32_t sleep_ms = sys_timeouts_sleeptime();

    return sleep_ms < 1000u ? sleep_ms * ND_MS_TICKS : ND_BOARD_HZ;
}

/* Marsaglia's xorshift, 13-17-5: never 0 once it is not 0. */
unsigned nd_lwip_random(void) {
    static uint32_t state;

    if (state == 0) {
        state = nd_station_welcome()->seed | 1u;
    }
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

static void say(const char *text) {
    nd_station_console_write(text, strlen(text));
}

void nd_lwip_assert_failed(const char *text, const char *file, int line) {
    char digits[20];
    struct nd_fmt out;

    nd_fmt_init(&out, digits, sizeof(digits));
    nd_fmt_i64(&out, line);
    say("netdyno fault: lwIP assertion: ");
    say(text);
    say(" (");
    say(file);
    say(":");
    nd_station_console_write(digits, nd_fmt_length(&out));
    say(")\n");
    nd_station_exit(ND_MACHINE_FAULT_EXIT);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* The image: no network, only the console with the command `kernels` on the simulator's side
 * channel, to time checksum and copy routines on a board. */
#include "board.h"
#include "build.h"
#include "loop.h"
#include "machine.h"
#include "others.h"
#include "station.h"

#include "nd/agent.h"
#include "nd/compiler.h"
#include "nd/console.h"
#include "nd/kernel_command.h"

/* Locally administered: no vendor's. */
static const uint8_t mac[6] = {0x02, 0x6E, 0x64, 0x00, 0x00, 0x02};

static const struct nd_fact facts[] = {
    {"netdyno", ND_BUILD_VERSION, 0}, {"image", "kernels", 0},
    {"board", ND_BOARD_NAME, 0},      {"core", "cortex-m3", 0},
    {"clock_hz", NULL, ND_BOARD_HZ},  {"libc", ND_BUILD_LIBC, 0},
    {"compiler", ND_COMPILER, 0},     {"compiler_flags", ND_BUILD_FLAGS, 0},
};

/* The agent wants a port; nobody connects to this one. */
static struct nd_loop port;
static struct nd_loop_slot slot;
static uint8_t ring[16];

static struct nd_agent agent;
static struct nd_console console;
static struct nd_command command;
static struct nd_kernel_room room;
static struct nd_kernel_bench bench;

/* Time is known exactly where it is exchanged. */
static uint64_t now(void *ctx) {
    (void)ctx;
    nd_station_poll(0);
    return nd_station_latest();
}

static void require(int result) {
    if (result != ND_OK) {
        nd_machine_abandon(nd_error_name(result));
    }
}

static void start(void) {
    const struct nd_agent_cfg cfg = {
        .port = &nd_port_loop,
        .port_ctx = &port,
        .clock = &nd_station_clock,
        .idle_ticks = nd_station_idle(),
        .facts = facts,
        .fact_count = sizeof facts / sizeof facts[0],
    };

    require(nd_loop_init(&port, &slot, 1, ring, sizeof ring));
    require(nd_agent_init(&agent, &cfg));
    bench = (struct nd_kernel_bench){.room = &room, .clock = &nd_station_clock, .now = now};
    bench.others = nd_kernel_others(&bench.other_count);
    nd_console_init(&console, &agent);
    nd_kernel_command(&command, &bench);
    nd_console_add(&console, &command);
}

static bool work_console(void) {
    const char *bytes;
    size_t count = nd_station_console_input(&bytes);
    bool moved;

    if (count > 0) {
        nd_station_console_input_done(nd_console_input(&console, bytes, count));
    }
    moved = nd_console_poll(&console);
    count = nd_console_output(&console, &bytes);
    if (count > 0) {
        nd_station_console_write(bytes, count);
        nd_console_output_done(&console, count);
    }
    return moved || count > 0;
}

int main(int argc, char **argv) {
    bool again = true;

    nd_station_start(argc, argv, "kernels", mac);
    start();
    for (;;) {
        nd_station_poll(again ? 0 : ND_LOCKSTEP_FOREVER);
        nd_agent_poll(&agent);
        again = work_console();
    }
}

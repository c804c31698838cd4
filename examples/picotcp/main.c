/* SPDX-License-Identifier: BSD-3-Clause */
/* The agent beside picoTCP, in the bare loop that such firmware has: time, a tick, and one more
 * call. The memory test, and the console at TCP port 5055 for `netdyno run tcp://HOST`.
 *
 * What is the board's own is declared in board.h. */
#include "board.h"

#include "nd/agent.h"
#include "nd/console.h"
#include "nd/memtest.h"
#include "nd/remote.h"
#include "nd/ttcp.h"
#include "pico_ipv4.h"
#include "pico_stack.h"
#include "picotcp.h"
#include "picotcp_host.h"

#define HEAP_BYTES  (24u * 1024u)
#define SLOTS       6u
#define STAGES      3u
#define STAGE_BYTES 1464u

static uint8_t heap[HEAP_BYTES] __attribute__((aligned(8)));
static struct nd_picotcp port;
static struct nd_picotcp_conn conns[SLOTS];
static uint8_t stages[STAGES * STAGE_BYTES] __attribute__((aligned(8)));
static struct nd_agent agent;
static struct nd_console console;
static struct nd_remote remote;
static struct nd_memtest_server memtest;
static struct nd_ttcp ttcp;
static struct nd_command ttcp_command;

/* The processor's cycle counter (ARMv7-M: DWT), which board_start() switched on. */
static struct nd_clock cycles = {.name = "dwt.cyccnt", .bits = 32, .kind = ND_CLOCK_CYCLES};

static void start_picotcp(void) {
    const struct pico_ip4 address = {.addr = long_be(0xC0A80114u)}; /* 192.168.1.20 */
    const struct pico_ip4 mask = {.addr = long_be(0xFFFFFF00u)};

    nd_heap_start(&nd_picotcp_heap, heap, sizeof heap);
    pico_stack_init();
    pico_ipv4_link_add(board_ethernet_device(), address, mask);
}

static void start_agent(void) {
    static const struct nd_picotcp_cfg port_cfg = {.conns = conns,
                                                   .conn_count = SLOTS,
                                                   .stages = stages,
                                                   .stage_count = STAGES,
                                                   .stage_bytes = STAGE_BYTES};
    static const struct nd_agent_cfg cfg = {
        .port = &nd_port_picotcp, .port_ctx = &port, .clock = &cycles};
    const struct nd_addr at_memtest = {.port = ND_MEMTEST_PORT};
    const struct nd_addr at_console = {.port = ND_REMOTE_PORT};

    cycles.counter = board_cycle_counter;
    cycles.hz = board_core_hz();
    nd_picotcp_init(&port, &port_cfg);
    nd_agent_init(&agent, &cfg);
    nd_console_init(&console, &agent);
    nd_ttcp_command(&ttcp_command, &ttcp);
    nd_console_add(&console, &ttcp_command);
    nd_memtest_serve(&memtest, &agent, &at_memtest, 0);
    nd_remote_serve(&remote, &agent, &at_console, &console, "a-token-of-yours");
}

int main(void) {
    board_start();
    start_picotcp();
    start_agent();
    for (;;) {
        nd_picotcp_set_ms(board_ms());
        pico_stack_tick();
        nd_agent_poll(&agent);
    }
}

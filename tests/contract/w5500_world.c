/* SPDX-License-Identifier: BSD-3-Clause */
/* w5500_world.c - what the chip asks of its surroundings. */
#include "w5500_world.h"

#include <string.h>

#define NS_PER_MS UINT64_C(1000000)

#define QUEUE       1024u
#define FRAME_BYTES 1514u

/* Frames that arrive before the engines get their turn, as on a wire. */
#define FRAMES_A_TURN 64u

static uint64_t now_ns;
static bool cut;
static bool slow;

/* Frames on their way, oldest first. */
static struct {
    uint32_t bytes;
    uint8_t data[FRAME_BYTES];
} frames[QUEUE];
static unsigned first;
static unsigned count;

static void send(void *ctx, const void *frame, uint32_t bytes) {
    unsigned at = (first + count) % QUEUE;

    (void)ctx;
    if (cut || count == QUEUE) {
        return;
    }
    memcpy(frames[at].data, frame, bytes);
    frames[at].bytes = bytes;
    count++;
}

static void deliver(unsigned most) {
    for (unsigned i = 0; i < most && count > 0; i++) {
        unsigned at = first;

        first = (first + 1) % QUEUE;
        count--;
        nd_chip_receive(frames[at].data, frames[at].bytes);
    }
}

/* One time in about sixteen, by Marsaglia's xorshift, 13-17-5. */
static bool now_and_then(void) {
    static uint32_t state = 1;

    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % 16 == 0;
}

static void elapse(void *ctx, uint64_t ns) {
    (void)ctx;
    now_ns += ns;
    if (slow && now_and_then()) {
        deliver(1);
    }
}

static uint64_t read_ns(void *ctx) {
    (void)ctx;
    return now_ns;
}

uint64_t world_ns(void) {
    return now_ns;
}

static void start(uint32_t spi_hz) {
    const struct nd_chip_cfg cfg = {.send = send,
                                    .elapse = elapse,
                                    .now_ns = read_ns,
                                    .spi_hz = spi_hz,
                                    .select_ns = 1000,
                                    .seed = 1};

    first = count = 0;
    cut = false;
    nd_chip_start(&cfg);
}

void world_start(void) {
    slow = false;
    start(WORLD_SPI_HZ);
}

/* A byte takes 80 us, four times as long as a piece of a transfer. */
void world_start_slow(void) {
    slow = true;
    start(100000);
}

struct nd_w5500_cfg world_cfg(void) {
    return (struct nd_w5500_cfg){
        .bus = {nd_chip_select, nd_chip_deselect, nd_chip_read, nd_chip_write},
        .mac = {0x02, 0x6E, 0x64, 0x00, 0x00, 0x01},
        .ip = {10, 0, 0, 2},
        .mask = {255, 255, 255, 0},
    };
}

void world_cut(void) {
    cut = true;
}

void world_turn(void) {
    deliver(FRAMES_A_TURN);
    now_ns += NS_PER_MS;
    nd_chip_run();
}

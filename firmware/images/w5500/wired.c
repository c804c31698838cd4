/* SPDX-License-Identifier: BSD-3-Clause */
#include "wired.h"
#include "board.h"
#include "machine.h"
#include "native.h"
#include "station.h"
#include "w5500/chip.h"

#include <string.h>

#define NS_PER_TICK  (1000000000u / ND_BOARD_HZ)
#define TICKS_PER_MS (ND_BOARD_HZ / 1000u)

/* The wire is asked for frames when so much bus time has passed [ns]. */
#define QUANTUM_NS 5000u

/* Frames that the chip has sent and the wire has not taken; more than its 16 KiB hold. */
#define QUEUE 256u

/* A descriptor becomes free within this, at 100 Mbit/s [ticks]. */
#define DESCRIPTOR_TICKS (ND_BOARD_HZ / 100000u)

static struct {
    uint64_t bus_ns;
    uint64_t told_ns; /* of these, told to the machine as work */
    uint64_t base_ns; /* all other time: bus_ns + base_ns is now */
    uint32_t dropped;
    unsigned first;
    unsigned count;
    struct {
        uint32_t bytes;
        uint8_t data[ND_LOCKSTEP_FRAME_BYTES];
    } queue[QUEUE];
    uint8_t received[ND_LOCKSTEP_FRAME_BYTES];
} wired;

static uint64_t now_ns(void *ctx) {
    (void)ctx;
    return wired.base_ns + wired.bus_ns;
}

/* ---- frames ---- */

static void send(void *ctx, const void *frame, uint32_t bytes) {
    unsigned at = (wired.first + wired.count) % QUEUE;

    (void)ctx;
    if (wired.count == QUEUE) {
        wired.dropped++;
        return;
    }
    memcpy(wired.queue[at].data, frame, bytes);
    wired.queue[at].bytes = bytes;
    wired.count++;
}

static void transmit(void) {
    while (wired.count > 0 && nd_station_tx_free() > 0) {
        unsigned at = wired.first;

        wired.first = (wired.first + 1) % QUEUE;
        wired.count--;
        nd_station_frame(wired.queue[at].bytes);
        nd_station_piece(wired.queue[at].data, wired.queue[at].bytes);
    }
}

static void *next_buffer(void *ctx) {
    (void)ctx;
    return wired.received;
}

static void arrived(void *ctx, uint32_t bytes) {
    (void)ctx;
    nd_chip_receive(wired.received, bytes);
}

/* ---- time ---- */

/* Tell the machine the bus time that fills a tick. */
static void tell_work(void) {
    const uint64_t ticks = (wired.bus_ns - wired.told_ns) / NS_PER_TICK;

    nd_native_work((uint32_t)ticks);
    wired.told_ns += ticks * NS_PER_TICK;
}

/* Ask the simulator, and take over its time. */
static void exchange(uint32_t wait) {
    transmit();
    tell_work();
    nd_station_poll(wait);
    wired.base_ns = nd_station_latest() * NS_PER_TICK - wired.told_ns;
    transmit();
}

static void elapse(void *ctx, uint64_t ns) {
    (void)ctx;
    wired.bus_ns += ns;
    if (wired.bus_ns - wired.told_ns < QUANTUM_NS) {
        return;
    }
    do {
        exchange(0);
    } while (nd_station_more());
}

static uint32_t shorter(uint32_t wait, uint64_t ticks) {
    return ticks < wait ? (uint32_t)ticks : wait;
}

void nd_wired_poll(uint32_t wait) {
    nd_chip_run();
    wait = shorter(wait, (uint64_t)nd_chip_sleep_ms() * TICKS_PER_MS);
    if (wired.count > nd_station_tx_free()) {
        wait = shorter(wait, DESCRIPTOR_TICKS);
    }
    do {
        exchange(wait);
        wait = 0;
    } while (nd_station_more());
    nd_chip_run();
}

uint64_t nd_wired_bus_ns(void) {
    return wired.bus_ns;
}

uint32_t nd_wired_dropped_frames(void) {
    return wired.dropped;
}

void nd_wired_start(const struct nd_options *options) {
    static const struct nd_station_receiver receiver = {next_buffer, arrived, NULL};
    const struct nd_chip_cfg cfg = {.send = send,
                                    .elapse = elapse,
                                    .now_ns = now_ns,
                                    .spi_hz = options->spi_hz,
                                    .select_ns = options->select_ns,
                                    .seed = nd_station_welcome()->seed};

    nd_station_set_receiver(&receiver);
    nd_native_set_read_ticks(0);
    nd_chip_start(&cfg);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* station.h - the device's end of the lockstep protocol (nd/lockstep.h): an Ethernet controller
 * with DMA rings, a console and a clock in one. It knows no stack; an image's network interface
 * drives it. One per program, used from one context.
 *
 * Transmitting gathers: the controller reads each piece where it lies. Receiving scatters nothing:
 * a frame goes into one buffer that its owner posted, as an LPC1768-class controller would put it
 * there, and the processor copies neither way. */
#ifndef ND_STATION_H
#define ND_STATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nd/clock.h"
#include "nd/lockstep.h"

/* Where received frames go. */
struct nd_station_receiver {
    /* A posted buffer of ND_LOCKSTEP_FRAME_BYTES, or NULL: then the frame is dropped. */
    void *(*buffer)(void *ctx);
    /* bytes of a frame are in the buffer that buffer() named. */
    void (*arrived)(void *ctx, uint32_t bytes);
    void *ctx;
};

/* Always-on counters. */
struct nd_station_counts {
    uint32_t rx_no_buffer;       /* frames dropped because no buffer was posted */
    uint32_t console_lost_bytes; /* console input dropped because too much was waiting */
    uint32_t tx_waits;           /* times that no transmit descriptor was free */
    uint64_t tx_wait_ticks;      /* spent waiting for one; idle time [ticks] */
};

/* Connect to the simulator, say hello, keep its welcome. Ends the program on failure. */
void nd_station_start(int argc, char **argv, const char *image, const uint8_t mac[6]);

/* What the simulator answered: address, seed. */
const struct nd_lockstep_welcome *nd_station_welcome(void);

void nd_station_set_receiver(const struct nd_station_receiver *receiver);

/* Exchange time, and at most one frame and some console input, with the simulator. wait: ticks that
 * the caller is willing to idle for either, 0 = none. True when something came. */
bool nd_station_poll(uint32_t wait);

/* Frames wait in the receive ring: the next poll brings one. */
bool nd_station_more(void);

/* Begin a frame of bytes in all; the pieces follow. When the transmit ring is full this waits for a
 * descriptor; what arrives meanwhile stays in the receive ring. */
void nd_station_frame(uint32_t bytes);
void nd_station_piece(const void *bytes, uint32_t len);

/* Transmit descriptors that are free: so many frames go without waiting. */
uint32_t nd_station_tx_free(void);

/* Console. Borrow what was typed: *bytes points at the count returned; then say how much of it was
 * used. */
size_t nd_station_console_input(const char **bytes);
void nd_station_console_input_done(size_t len);
void nd_station_console_write(const char *bytes, size_t len);

/* Device time at the latest exchange [ticks]. */
uint64_t nd_station_latest(void);

/* Of the device time, idle time so far [ticks]. Stays in place: for nd_agent_cfg.idle_ticks. */
const uint64_t *nd_station_idle(void);

/* Device time, work and idle time since start, as a clock of the agent. It steps with every
 * exchange and every frame sent; readings between two of them are equal. What a tick is, is known
 * after nd_station_start(). For reading. */
extern struct nd_clock nd_station_clock;

const struct nd_station_counts *nd_station_counts(void);

/* Tell the simulator that this is the end, and end. */
_Noreturn void nd_station_exit(int code);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* sim.h - a simulated board on a virtual wire, and what is at the wire's other end.
 *
 * One process, one thread, virtual time. The board (machine/) is a child process that
 * runs the firmware and speaks lockstep (lockstep/); the wire (link/) carries frames at a rate and
 * with a delay; the peer (peer/) is a TCP/IP stack in this process whose processor is infinitely
 * fast. The caller polls its engines over the peer's port, and everything is ordered by virtual
 * time alone: the same input gives the same bytes, on any host.
 *
 * Instead of the peer there can be a TAP interface (tap/), over which the kernel and its programs
 * reach the board. Virtual time then follows the clock on the wall, and nothing repeats. */
#ifndef ND_SIM_H
#define ND_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nd/clock.h"
#include "nd/lockstep.h"
#include "nd/port.h"
#include "profile.h"
#include "trace.h"

/* Room for the one-line reason of a failure [byte], NUL included. */
#define ND_SIM_ERROR_BYTES 256

/* What runs the firmware. */
enum nd_sim_machine {
    ND_SIM_QEMU,  /* qemu-system-arm, machine mps2-an385; firmware is an ARM ELF */
    ND_SIM_NATIVE /* the image built for the host; firmware is an executable */
};

/* Options of a native image, at most. */
#define ND_SIM_WORDS 8

/* Descriptors of the caller that wake a simulation on a TAP interface, at most. */
#define ND_SIM_WAKE_FDS 2

/* A TAP interface at the far end of the wire. */
struct nd_sim_tap {
    /* A persistent TAP interface of this name is used and left as it was found; else it is made,
     * and vanishes with the simulation, however that ends. */
    const char *name;
    uint8_t device_ip[4]; /* all zero = the board uses DHCP */
    uint8_t device_mask[4];
    uint8_t gateway[4]; /* all zero = none */
    uint8_t host_ip[4]; /* to give to the interface; all zero = none */
    unsigned host_bits; /* of its network's prefix */
    /* When one of these is readable, wake() is called and may type into the console or change the
     * descriptors; false ends the simulation with ND_E_STOPPED. -1 = none. */
    const int *wake_fds;
    unsigned wake_count; /* at most ND_SIM_WAKE_FDS */
    bool (*wake)(void *ctx);
    void *wake_ctx;
};

struct nd_sim_cfg {
    enum nd_sim_machine machine;
    const char *firmware;         /* path */
    const char *const *words;     /* options of a native image, ended by NULL; NULL = none. At most
                                     ND_SIM_WORDS; needed only until nd_sim_open() returns */
    const char *qemu;             /* path or name; NULL = qemu-system-arm */
    uint64_t link_bit_s;          /* 0 = the board's own */
    uint64_t delay_ns;            /* one way [ns] */
    uint32_t queue_frames;        /* frames that wait at the peer's end of the wire; 0 = 1000 */
    uint32_t seed;                /* for both stacks' random numbers */
    const char *pcap;             /* file for the frames on the wire; NULL = none */
    const struct nd_sim_tap *tap; /* the far end, in the peer's place; NULL = the peer */
    /* The plugin that counts cycles in QEMU, a path; NULL = the device's own ticks count. Where it
     * does not load, or the firmware makes no marks for it, that is an error; or with
     * cycles_optional the device's own ticks count. */
    const char *cycles;
    bool cycles_optional;
    /* The firmware's functions, sorted by start and without overlaps, for a profile of its cycles;
     * at most ND_SIM_FUNCTIONS; 0 = none. Needed only until nd_sim_open() returns. */
    const struct nd_sim_function *functions;
    uint32_t function_count;
    /* Changes of function that a trace has room for, with functions only; 0 = no trace. Each costs
     * 16 byte of memory when it is made. */
    uint32_t trace_changes;
    unsigned silence_ms; /* wall time without a record after which the board is given up; 0 = 5 s */
    /* Called at every instant something reached the peer or one of its timers ran, with the virtual
     * time set: poll the engines until they are idle. */
    void (*peer_poll)(void *ctx);
    /* How long from now the engines may sleep when nothing happens [ns]; UINT64_MAX = until then.
     * NULL: the same. */
    uint64_t (*peer_sleep_ns)(void *ctx);
    void *peer_ctx;
};

/* What happened so far. */
struct nd_sim_counts {
    uint64_t now_ns;      /* virtual time [ns] */
    uint64_t busy_ticks;  /* work of the device [ticks] */
    uint64_t exchanges;   /* answered records */
    uint64_t to_device;   /* frames delivered into its receive ring */
    uint64_t to_peer;     /* frames delivered to the peer */
    uint64_t ring_drops;  /* frames lost because the receive ring was full */
    uint64_t queue_drops; /* frames lost because the peer's queue was full */
    uint64_t tx_drops;    /* frames sent by the device with no free descriptor */
    uint64_t slipped_ns; /* on a TAP interface: real time that the host did not keep up with [ns] */
};

struct nd_sim;

/* Start the machine and wait for its HELLO. NULL on failure, with one line in error[]. One
 * simulation at a time in a process. The machine dies with the thread that opened it, and both stay
 * on one processor until nd_sim_close(): lockstep is several times faster so. */
struct nd_sim *nd_sim_open(const struct nd_sim_cfg *cfg, char error[ND_SIM_ERROR_BYTES]);

/* Serve one record of the device, after asking cfg.peer_poll() at the present virtual time. ND_OK,
 * also when a signal ended the wait for a record; ND_EOF after an EXIT; ND_E_TIMEOUT or ND_E_RESET
 * when the device went silent or died, ND_E_PROTOCOL when it broke the rules, ND_E_STACK when the
 * capture cannot be written or the TAP interface is gone, ND_E_STOPPED when its wake() said so:
 * nd_sim_error() has the line, and every further step answers the same. */
int nd_sim_step(struct nd_sim *sim);

/* Why the latest step did not answer ND_OK, an EXIT included; "" if it did. Owned by sim. */
const char *nd_sim_error(const struct nd_sim *sim);

/* What the board said of itself. Owned by sim. */
const struct nd_lockstep_hello *nd_sim_hello(const struct nd_sim *sim);

/* What a tick of its time is: as the board said, or ND_CLOCK_CYCLES if they are counted outside. */
enum nd_clock_kind nd_sim_tick_kind(const struct nd_sim *sim);

/* End a period of the profile, and begin another, at the record of the device that follows its next
 * wait for an answer. Steps go on meanwhile; when nd_sim_profile() does not answer NULL it is over:
 * that is the period that ended, valid until the next turn. For a simulation with functions. */
void nd_sim_turn_profile(struct nd_sim *sim);
const struct nd_sim_profile *nd_sim_profile(const struct nd_sim *sim);

/* Record what happens in a window of virtual time, once in a simulation with trace_changes: from
 * the first record of the device in the window to the first behind it, or behind
 * nd_sim_end_trace(), which answers false when the window has not begun, and forgets it. Steps go
 * on meanwhile; when nd_sim_traced() does not answer NULL it is over: the trace is valid until
 * nd_sim_close(). ND_E_MEMORY of a step: there was no room for it. */
void nd_sim_trace(struct nd_sim *sim, const struct nd_sim_window *window);
bool nd_sim_end_trace(struct nd_sim *sim);
const struct nd_sim_trace *nd_sim_traced(struct nd_sim *sim);

/* Let the peer take frames whatever their checksums say, as from a device whose controller makes
 * them: here nobody does. */
void nd_sim_trust(struct nd_sim *sim);

/* The peer's port (NULL on a TAP interface), context, and a clock of virtual nanoseconds; alive
 * until nd_sim_close(). */
const struct nd_port *nd_sim_port(struct nd_sim *sim);
void *nd_sim_port_ctx(struct nd_sim *sim);
const struct nd_clock *nd_sim_clock(struct nd_sim *sim);

/* The board's address, port 0; all zero when DHCP gives it. */
struct nd_addr nd_sim_device(const struct nd_sim *sim);

/* The far end's address, port 0; all zero when it is not known. */
struct nd_addr nd_sim_peer(const struct nd_sim *sim);

/* Type into the board's console; bytes wait in sim without limit until the board takes them. */
void nd_sim_console_write(struct nd_sim *sim, const char *bytes, size_t len);

/* Take console output; returns the count copied, 0 = none. */
size_t nd_sim_console_read(struct nd_sim *sim, char *bytes, size_t size);

/* Read the counters. */
struct nd_sim_counts nd_sim_counts(const struct nd_sim *sim);

/* End the machine, reap it, close every file. Close your connections first: nothing of the port may
 * be used afterwards. A later simulation in the same process works, but its peer goes on where this
 * one was (port numbers, timers), so only the first of a process repeats to the byte; fork() for
 * more. NULL is allowed. */
void nd_sim_close(struct nd_sim *sim);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* target.h - what `netdyno run` can put on the rollers.
 *
 * A target is a device with a console, and the peer at the other end of its network: a port, its
 * context and a clock for the engines of this process. One file per kind: target_sim.c (a
 * simulated board), target_tcp.c (a console on the network), target_serial.c (one at the end of a
 * serial line), target_local.c (this machine). */
#ifndef ND_TOOL_TARGET_H
#define ND_TOOL_TARGET_H

#include <jansson.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nd/clock.h"
#include "nd/port.h"
#include "token.h"

/* Room for the one-line reason of a failure [byte]. */
#define TARGET_ERROR_BYTES 320

/* The accepted forms, for errors and help. */
#define TARGET_FORMS                                                                               \
    "sim:STACK@BOARD, native:STACK, tcp://HOST[:PORT], serial:DEVICE[@BAUD], local:"

/* Longest name of a target that is shown, NUL included [byte]. */
#define TARGET_NAME_BYTES 256

/* The target that has a chip behind a bus. */
#define TARGET_W5500 "native:w5500"

/* What a simulated board's time runs on. */
enum target_time {
    TARGET_TIME_BEST, /* cycles where they can be counted, else what the board counts */
    TARGET_TIME_CYCLES,
    TARGET_TIME_INSTRUCTIONS
};

/* Seed of a simulation when none is given. */
#define TARGET_SEED 1

/* How to open a target. Texts outlive it. */
struct target_cfg {
    const char *name;     /* as typed: "sim:lwip@lpc1768" */
    const char *address;  /* of a device that does not tell its own, in numbers; NULL = it tells */
    const char *firmware; /* path; NULL = the one that was built beside the command */
    const char *pcap;     /* file for the frames on the wire; NULL = none */
    uint32_t seed;        /* 0 = TARGET_SEED */
    uint64_t link_bit_s;  /* 0 = the board's own */
    uint64_t delay_ns;    /* one way */
    uint64_t spi_hz;      /* clock of the bus to a modelled chip; 0 = its own */
    uint64_t sockets;     /* of a modelled chip that are used; 0 = all */
    enum target_time time;
    /* For a profile: the firmware's functions are read into it, and calls are followed. Its cycles
     * must then be counted. NULL = no profile. The caller frees it. */
    struct symbols *symbols;
    uint32_t trace_changes; /* room for a trace, with symbols; as of struct nd_sim_cfg */
    /* The far end of a simulated wire, in place of this process's engines; NULL = the engines. */
    const struct nd_sim_tap *tap;
    /* Work of this process's engines: true when anything moved. Called from target_pump(). */
    bool (*poll)(void *ctx);
    uint64_t (*sleep_ns)(void *ctx); /* how long they may sleep, in a simulation [ns] */
    void *poll_ctx;
};

struct target;
struct nd_sim;
struct nd_sim_tap;
struct symbols;

/* One kind of target. */
struct target_kind {
    const char *prefix; /* of the target's name */
    bool simulated;     /* has virtual time, a wire of its own, seed and pcap */
    bool counts_cycles; /* can count its processor's cycles */
    bool lossy;         /* its console may lose bytes, and does not hang up */
    /* Find fault with the name and what it stands for, before anything is started: ND_OK, or
     * ND_E_ARG with the line in target->error. */
    int (*check)(struct target *target, const struct target_cfg *cfg);
    /* Fill *target, and set target->state. ND_OK, ND_E_ARG (refused: a usage error) or another
     * error; target->error has the line. close() is called only after ND_OK. */
    int (*open)(struct target *target, const struct target_cfg *cfg);
    int (*pump)(struct target *target);
    void (*console_write)(struct target *target, const char *bytes, size_t len);
    size_t (*console_read)(struct target *target, char *bytes, size_t size);
    void (*describe)(struct target *target, const struct target_cfg *cfg, json_t *result);
    /* The device makes no checksums: do not check them. NULL = they are checked by others. */
    void (*trust)(struct target *target);
    void (*close)(struct target *target);
};

/* An open target. Fields are for reading. */
struct target {
    const struct target_kind *kind;
    void *state;
    char token[TOKEN_BYTES];    /* for the console; "" = none */
    const struct nd_port *port; /* of this end; NULL when the far end is a TAP interface */
    void *port_ctx;
    const struct nd_clock *clock;
    struct nd_addr device; /* address of the device, port 0; family 0 = it has to be asked */
    struct nd_addr peer;   /* address at which the device reaches this end, port 0; likewise */
    uint64_t link_bit_s;   /* rate of the wire; 0 = not known */
    struct nd_stopwatch watch;
    char error[TARGET_ERROR_BYTES];
};

/* The kinds; target.c lists them. */
extern const struct target_kind target_sim;
extern const struct target_kind target_native;
extern const struct target_kind target_tcp;
extern const struct target_kind target_serial;
extern const struct target_kind target_local;

/* The kind that a name asks for; NULL when it is of no accepted form. */
const struct target_kind *target_find(const char *name);

/* The name without a token, for whatever is read by others. */
const char *target_shown_name(const char *name, char shown[TARGET_NAME_BYTES]);

/* Look at cfg->name and the options with it without opening it. ND_OK, or ND_E_ARG with the line in
 * target->error. */
int target_check(struct target *target, const struct target_cfg *cfg);

/* Open cfg->name, checked first. As target_kind.open. */
int target_open(struct target *target, const struct target_cfg *cfg);

/* Let time pass: engines, network, device. Returns soon (within about 0.1 s). ND_OK; or the error
 * that ended the device, with target->error set. */
int target_pump(struct target *target);

/* Time at this end [ns since it was opened]; in a simulation, virtual. */
uint64_t target_now_ns(struct target *target);

/* Type into the device's console; take its output (0 = none). */
void target_console_write(struct target *target, const char *bytes, size_t len);
size_t target_console_read(struct target *target, char *bytes, size_t size);

/* Add what this end knows of the wire and the run to the result. */
void target_describe(struct target *target, const struct target_cfg *cfg, json_t *result);

/* The device makes no checksums: do not check them where this end could. */
void target_trust(struct target *target);

/* Close it and leave nothing behind. */
void target_close(struct target *target);

/* The simulation of a simulated target (sim.h). */
struct nd_sim *target_simulation(const struct target *target);

/* Set target->error; returns `result`. For the kinds. */
int target_fail(struct target *target, int result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Where a file of ours lies: in the build tree or installed, both seen from this program. */
bool target_find_file(const char *build_dir, const char *install_dir, const char *name,
                      char path[PATH_MAX]);

/* Where a firmware image lies. NULL when it is at neither place, with target->error set. */
const char *target_find_firmware(struct target *target, const char *build_dir, const char *name,
                                 char path[PATH_MAX]);

#endif

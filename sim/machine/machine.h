/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.h - the device under test: a child process with two pipes.
 *
 * The child is told the paths of its ends, output first, and opens them itself. They are
 * /proc/self/fd/N of descriptors that it inherits, so that nothing lies in a directory that
 * somebody would have to clean up. */
#ifndef ND_SIM_MACHINE_H
#define ND_SIM_MACHINE_H

#include "cycles/meter.h"
#include "machine/pin.h"
#include "machine/process.h"
#include "sim.h"

/* Oldest QEMU that is known to work. */
#define ND__MACHINE_QEMU_MAJOR 7
#define ND__MACHINE_QEMU_MINOR 2

/* Room for a path of a pipe's end [byte]. */
#define ND__MACHINE_PATH_BYTES 32

/* Owner: the caller. Closed files are -1. */
struct nd__machine {
    struct nd__process process;
    struct nd__pin pin;     /* of the thread that opened it */
    struct nd__meter meter; /* of its cycles, if they are counted */
    const char *name;       /* of what runs, for error lines; the caller's string */
    int from_fd;            /* the device's output, to be read */
    int to_fd;              /* the device's input, to be written; O_NONBLOCK */
    /* The device's ends. We keep to_device open for reading, so that a write to a dead device
     * raises no SIGPIPE: its death shows when its output ends. */
    int device_out_fd;
    int device_in_fd;
};

/* No machine yet. */
void nd__machine_init(struct nd__machine *machine);

/* Start the machine that cfg names; *machine has none. This thread stays on one processor until
 * nd__machine_close(). ND_OK, or a negative result with one line in
 * error[]; *machine is then closed. */
int nd__machine_open(struct nd__machine *machine, const struct nd_sim_cfg *cfg,
                     char error[ND_SIM_ERROR_BYTES]);

/* The device's output ended: say in error[] what became of it. */
void nd__machine_explain(struct nd__machine *machine, char error[ND_SIM_ERROR_BYTES]);

/* Kill the device, reap it, close every file. */
void nd__machine_close(struct nd__machine *machine);

/* ---- shared by the kinds of machine ---- */

/* Check that cfg->firmware can be started, and start it with these paths. ND_OK, or error[]. */
int nd__machine_qemu(struct nd__machine *machine, const struct nd_sim_cfg *cfg,
                     const char *out_path, const char *in_path, char error[ND_SIM_ERROR_BYTES]);
int nd__machine_native(struct nd__machine *machine, const struct nd_sim_cfg *cfg,
                       const char *out_path, const char *in_path, char error[ND_SIM_ERROR_BYTES]);

/* Start argv with the device's ends and the meter's memory open. 0 or an errno. */
int nd__machine_start(struct nd__machine *machine, char *const argv[]);

#endif

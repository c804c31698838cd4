/* SPDX-License-Identifier: BSD-3-Clause */
/* load.h - what a simulated board is to do while it is watched: `profile` and `trace` share it. */
#ifndef ND_TOOL_LOAD_H
#define ND_TOOL_LOAD_H

#include "rig.h"

struct load {
    const char *name;
    const char *step[2];             /* ends with NULL, as steps.h wants names */
    int (*prepare)(struct rig *rig); /* before it is watched, as steps.h; NULL = nothing to do */
    int (*run)(struct rig *rig, const char *const *names);
    const char *uncopied; /* name of the same load without a copy; NULL = none */
};

/* The names, for help and errors. */
#define LOAD_NAMES "tcp-rx, tcp-tx, tcp-tx-borrow, udp-rx, udp-tx, bypass, stream"

/* The load of a name, NULL = the first; NULL when there is none, after a usage error of command. */
const struct load *load_find(const char *name, const char *command);

/* Wait for something of the simulation that comes with a record of the device, which answers within
 * a second, whatever it waits for. As rig_wait(). */
int load_await(struct rig *rig, bool (*done)(struct rig *rig, void *ctx));

/* What it needs before it is watched. enum say_exit; an error line was said. */
int load_prepare(const struct load *load, struct rig *rig);

/* Run it between two turns of the profile. enum say_exit; an error line was said. */
int load_run(const struct load *load, struct rig *rig);

#endif

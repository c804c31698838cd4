/* SPDX-License-Identifier: BSD-3-Clause */
/* suite.h - the contract of nd/port.h as tests, the same for every port.
 *
 * Both ends of each test live in one instance of the port under test, so its stack comes back to
 * itself. No case looks at a clock: all waiting is a bounded number of turns, and a rig decides
 * what a turn is. */
#ifndef ND_CONTRACT_SUITE_H
#define ND_CONTRACT_SUITE_H

#include "nd/port.h"

/* One port under test. Owner: the executable. */
struct rig {
    const char *name; /* folder name of the port */
    const struct nd_port *port;
    void *ctx;          /* set by setup() */
    struct nd_addr at;  /* where to listen, port 0 */
    uint32_t pool_size; /* slots, shared by both ends and the listener; 6 ... 64 */

    /* A fresh instance for every test: 0, or anything else when it cannot be had. */
    int (*setup)(struct rig *rig);
    void (*teardown)(struct rig *rig);

    /* Let time and network pass, before the suite calls step(): until there is something for it, or
     * about a millisecond where there is time. NULL = step() does it all. */
    void (*pump)(struct rig *rig);

    /* What the instance holds of its stack and system now (descriptors, control blocks ...), in
     * any unit. NULL = cannot tell. */
    long (*held)(struct rig *rig);
};

/* Run every case that fits what the port can do. Returns the number that failed. */
int suite_run(struct rig *rig);

#endif

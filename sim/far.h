/* SPDX-License-Identifier: BSD-3-Clause */
/* far.h - what is at the far end of the wire: peer/ or tap/.
 *
 * The simulation alone moves virtual time. It asks the far end when something will happen there,
 * and lets it happen. A far end in real time sleeps in that question, so that virtual time never
 * runs ahead of the clock on the wall. */
#ifndef ND_SIM_FAR_H
#define ND_SIM_FAR_H

#include <stdbool.h>
#include <stdint.h>

#include "nd/port.h"

/* What a kind of far end does. ctx is nd__far.ctx. */
struct nd__far_class {
    /* It is so late now; never goes back [ns]. */
    void (*set_time)(void *ctx, uint64_t now_ns);
    /* When something is due here, may be in the past [ns]; any time above until_ns: nothing before
     * that. */
    uint64_t (*next_ns)(void *ctx, uint64_t until_ns);
    /* It is due: let it happen. ND_OK, or the result with which the simulation ends. */
    int (*run)(void *ctx);
    /* A frame arrived. What it has no room for is lost, as on a real network. */
    void (*receive)(void *ctx, const void *data, uint32_t bytes);
    /* From now on, take what arrives whatever its checksums say; NULL = it cannot choose. */
    void (*trust)(void *ctx);
    void (*close)(void *ctx);
};

/* What it may ask of the simulation. */
struct nd__far_cfg {
    uint32_t seed; /* of its random numbers */
    /* Put a frame on the wire, at the time last set. The bytes are the far end's. */
    void (*send)(void *ctx, const void *data, uint32_t bytes);
    /* The queue in front of the wire has room for one more frame. */
    bool (*has_room)(void *ctx);
    void *ctx;
    char *error; /* ND_SIM_ERROR_BYTES, for one line when open() or run() fails */
};

/* Owner: the caller. */
struct nd__far {
    const struct nd__far_class *kind; /* NULL = none is there */
    void *ctx;
    const struct nd_port *port; /* for engines of this process; NULL = none can be there */
    void *port_ctx;
    uint8_t device_ip[4]; /* what the device is told; all zero = use DHCP */
    uint8_t mask[4];
    uint8_t gateway[4];
    uint8_t ip[4];       /* its own address; all zero = not known */
    uint64_t slipped_ns; /* real time that passed while virtual time stood still [ns] */
};

#endif

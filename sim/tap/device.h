/* SPDX-License-Identifier: BSD-3-Clause */
/* device.h - a TAP interface of this machine: made or borrowed, up, with an address.
 *
 * An interface that we make lives as long as its descriptor, so it goes with the process, however
 * that ends. One that was there is left as it was found. */
#ifndef ND_SIM_TAP_DEVICE_H
#define ND_SIM_TAP_DEVICE_H

#include <net/if.h>
#include <stdbool.h>
#include <stdint.h>

#include "sim.h"

/* Owner: the caller. */
struct nd__tap_device {
    int fd; /* one frame per read() and write(); O_NONBLOCK; -1 = none */
    char name[IFNAMSIZ];
    bool borrowed;    /* was there before */
    bool raised;      /* we brought it up */
    bool has_address; /* we gave it host_ip */
    uint8_t host_ip[4];
    unsigned host_bits;
};

/* Make or borrow the interface, bring it up, give it the address. ND_OK, or a negative result with
 * one line in error[]; nothing is left then. */
int nd__tap_device_open(struct nd__tap_device *device, const struct nd_sim_tap *cfg,
                        char error[ND_SIM_ERROR_BYTES]);

/* Take back what was done to a borrowed interface, and let go of it. */
void nd__tap_device_close(struct nd__tap_device *device);

#endif

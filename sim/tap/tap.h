/* SPDX-License-Identifier: BSD-3-Clause */
/* tap.h - a TAP interface at the far end of the wire, and virtual time at the pace of the clock on
 * the wall.
 *
 * Virtual time is CLOCK_MONOTONIC since the start. Where it would run ahead, because the device
 * waits or because its work is slow, we sleep. Where the host is too slow for the device, virtual
 * time is late, and hurries as soon as it can; if it is later than ND__TAP_LATE_NS it never makes
 * up for that: it goes on from where it is, and the difference is counted as slipped. */
#ifndef ND_SIM_TAP_H
#define ND_SIM_TAP_H

#include "far.h"
#include "sim.h"

/* Later is too late [ns]: no timer of a TCP is so short, and no schedule of a host so bad. */
#define ND__TAP_LATE_NS UINT64_C(20000000)

/* Put the interface that cfg names at the far end, at virtual time 0. ND_OK, or a negative result
 * with one line in far_cfg->error. */
int nd__tap_open(struct nd__far *far, const struct nd__far_cfg *far_cfg,
                 const struct nd_sim_tap *cfg);

#endif

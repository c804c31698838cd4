/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/bus.h - what a network controller behind a serial bus costs on that bus.
 *
 * Counted by the port or driver that talks to the controller, from start on, never reset. Bytes
 * over payload bytes, and transactions over datagrams, tell how well the bus is used. */
#ifndef ND_BUS_H
#define ND_BUS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Owner: who counts. Read from the context that polls the agent. */
struct nd_bus_counts {
    uint64_t selects; /* transactions: times that the controller was selected */
    uint64_t bytes;   /* clocked in all of them, addresses included [byte] */
};

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* w5500_driver.h - a driver of the chip as w5500_bus.c measures it: one socket that receives. */
#ifndef ND_BENCH_W5500_DRIVER_H
#define ND_BENCH_W5500_DRIVER_H

#include "nd_w5500.h"

#define DRIVER_IP                                                                                  \
    { 10, 0, 0, 2 }
#define DRIVER_PORT 5001u

/* The chip's socket of the driver, and the bench's. */
#define DRIVER_SOCKET 0u
#define BENCH_SOCKET  7u

struct driver {
    const char *name;
    /* Reset the chip over this bus, give it its address; 8 KiB each way to
     * DRIVER_SOCKET. */
    void (*start)(const struct nd_w5500_bus *bus);
    /* Listen at DRIVER_PORT; a caller comes; take it. */
    void (*listen)(void);
    void (*accept)(void);
    /* Receive datagrams at DRIVER_PORT. */
    void (*open_udp)(void);
    /* Take what waits, at most a segment or a datagram unless `all`. The bytes. */
    uint32_t (*receive)(bool all);
    uint32_t (*receive_udp)(bool all);
    /* Ask until there is nothing and nothing more to do about it. */
    void (*settle)(void);
    /* Send a segment, and what the driver does before the next. */
    void (*send)(uint8_t *bytes, uint16_t len);
};

extern const struct driver driver_ours;
extern const struct driver driver_theirs;

#endif

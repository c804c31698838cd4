/* SPDX-License-Identifier: BSD-3-Clause */
/* loop.h - a port without a network: both ends of every connection live in one context.
 *
 * What one end sends is copied once, straight into the ring that the other end reads from.
 * That is all, so an engine over this port shows the instrument's own floor. Byte counts,
 * back-pressure, order and errors are those of the contract (nd/port.h); delay, loss and
 * segments do not exist. Freestanding; needs memcpy only. */
#ifndef ND_LOOP_H
#define ND_LOOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nd/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Connections that wait at one listener; one more is refused. */
#define ND_LOOP_BACKLOG 8u

/* Largest datagram [byte]: what fits an Ethernet frame with IPv4 and UDP headers. */
#define ND_LOOP_DATAGRAM_BYTES 1472u

/* One place in a ring that holds a datagram [byte]: its length and sender come first. */
#define ND_LOOP_CELL_BYTES (ND_LOOP_DATAGRAM_BYTES + 24u)

/* One slot of the pool: the port's, written by nobody else. */
struct nd_loop_slot {
    struct nd_loop *loop;
    struct nd_loop_slot *peer; /* the other end, or the listener while connecting */
    struct nd_loop_slot *next; /* in the listener's queue */
    struct nd_loop_slot *wait; /* of a listener: the first that waits */
    struct nd_addr local;
    struct nd_addr remote;
    uint8_t *ring;    /* received and not yet consumed */
    uint32_t read;    /* where the oldest byte is, or the oldest cell */
    uint32_t count;   /* bytes, or cells, in the ring */
    uint32_t waiting; /* of a listener: how many wait */
    int error;        /* ended by this; ND_OK = not */
    uint8_t state;
    bool ended;    /* end() was called */
    bool fin;      /* the peer ended */
    bool eof_told; /* rx() answered ND_EOF and keeps to it */
};

/* One instance. Owner: the caller, who writes none of it. */
struct nd_loop {
    struct nd_loop_slot *slots;
    uint32_t slot_count;
    uint32_t ring_bytes;
    uint16_t next_port;
    bool event; /* something moved since the latest step(): the owner steps again before it idles */
};

/* Make an instance of slot_count slots, each with a ring of ring_bytes; storage holds
 * slot_count * ring_bytes. A datagram socket keeps ring_bytes / ND_LOOP_CELL_BYTES datagrams.
 * slots and storage stay in place while the instance is used. ND_OK; ND_E_ARG when a part is
 * missing or zero. Nothing is to be destroyed. */
int nd_loop_init(struct nd_loop *loop, struct nd_loop_slot *slots, uint32_t slot_count,
                 uint8_t *storage, uint32_t ring_bytes);

/* Slots in use now. */
uint32_t nd_loop_used(const struct nd_loop *loop);

/* The port; its context is a struct nd_loop. */
extern const struct nd_port nd_port_loop;

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* picotcp.h - the port over picoTCP's sockets, for one that runs in a single context.
 *
 * The owner runs picoTCP: it sets its time and calls pico_stack_tick() in the context that polls
 * the agent, never pico_stack_loop(), which waits for a millisecond each time. Nothing leaves or
 * arrives but in a tick; nd_picotcp_wants_tick() tells when one is due. */
#ifndef ND_PICOTCP_H
#define ND_PICOTCP_H

#include <stdbool.h>
#include <stdint.h>

#include "nd/port.h"

#ifdef __cplusplus
extern "C" {
#endif

struct pico_socket;
struct nd_picotcp;

/* One slot of the pool. Owner: the caller, who reads and writes none of it. */
struct nd_picotcp_conn {
    struct nd_picotcp *port;
    struct pico_socket *socket; /* NULL when picoTCP has freed it */
    uint8_t *stage;             /* received bytes, as engines borrow them; TCP connections only */
    uint16_t stage_first;
    uint16_t stage_end;
    uint8_t kind;     /* 0 = free */
    int8_t status;    /* what status() answers */
    int8_t tx_result; /* what tx() answers instead of sending; ND_OK = it sends */
    bool fin;         /* the peer ended its direction */
    bool full;        /* the latest tx() found no room, and none was made since */
    bool readable;    /* datagram socket: counted in the context */
    uint16_t cause;   /* pico_err behind the latest error */
    uint32_t window;  /* TCP connection: size of picoTCP's receive queue [byte] */
    uint32_t untold;  /* read since the peer was told of a window [byte] */
    uint32_t away;    /* listener: turned away and not yet told by accept() */
    struct nd_addr local;
    struct nd_addr peer;
    struct nd_picotcp_conn *waiting_first; /* listener: not yet accepted, oldest first */
    struct nd_picotcp_conn *waiting_last;
    struct nd_picotcp_conn *waiting_next; /* connection: the next that waits */
};

/* The context of the port. Owner: the caller. */
struct nd_picotcp {
    struct nd_picotcp_conn *conns;
    uint32_t conn_count;
    uint8_t *stages; /* free ones are linked through their first bytes */
    uint16_t stage_bytes;
    bool touched;         /* something was handed to picoTCP since the latest tick */
    uint16_t next_port;   /* to try when the port chooses */
    uint32_t waiting;     /* answers that accept() has ready, at all listeners */
    uint32_t readable;    /* sockets in which a datagram waits */
    uint32_t turned_away; /* connections reset because the pool was full */
};

struct nd_picotcp_cfg {
    /* One for each connection, listener and datagram socket. */
    struct nd_picotcp_conn *conns;
    uint32_t conn_count;
    /* One for each TCP connection, which without is ND_E_FULL: stage_count * stage_bytes bytes,
     * aligned as a pointer. picoTCP copies what is read, so a stage of a segment (1460) or more is
     * read with one call. stage_bytes: a multiple of 8, 64..65528. */
    uint8_t *stages;
    uint32_t stage_count;
    uint32_t stage_bytes;
};

extern const struct nd_port nd_port_picotcp;

/* Make a context; what cfg points at outlives every use. pico_stack_init() has been called by the
 * owner. ND_OK; ND_E_ARG. */
int nd_picotcp_init(struct nd_picotcp *port, const struct nd_picotcp_cfg *cfg);

/* Something waits for pico_stack_tick() that was not there at the latest asking. */
bool nd_picotcp_wants_tick(struct nd_picotcp *port);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* bsd.h - any stack that has the sockets of BSD: eCos, Zephyr, NuttX, FreeRTOS with lwIP, POSIX.
 *
 * For firmware: it allocates nothing, and asks of the system no more than POSIX.1-2001 has:
 * select() or poll(), and none of the extensions of one of them. TCP and UDP, IPv4, and IPv6 where
 * the system has it. One thread uses an instance, several instances may live in one process.
 * README.md says which macros choose the headers of a system. */
#ifndef ND_BSD_H
#define ND_BSD_H

#include <stdbool.h>
#include <stdint.h>

#include "nd/port.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Slots that an instance has at most; step() keeps as many struct pollfd on the stack. */
#ifndef ND_CFG_BSD_SLOTS
#define ND_CFG_BSD_SLOTS 32u
#endif

struct nd_bsd;

/* One place of the pool: a connection, listener or socket. The owner gives the memory, the port
 * everything in it. "Readable" and "writable" are what the system said last. */
struct nd_bsd_slot {
    struct nd_bsd *bsd;
    struct nd_bsd_slot *next_corked; /* in bsd->corked */
    uint8_t *buffer;                 /* received, lent by rx(); kept for the slot's next user */
    uint32_t buffer_bytes;           /* its size [byte] */
    uint32_t start;                  /* where the bytes not given back begin */
    uint32_t count;                  /* how many they are */
    struct nd_addr local;
    struct nd_addr peer; /* of a datagram socket: who sent what the buffer holds */
    int fd;
    int error;       /* enum nd_result that ended it; ND_OK = alive */
    int32_t cause;   /* errno behind the latest error */
    uint8_t kind;    /* 0 = free */
    bool v6;         /* the socket is AF_INET6 */
    bool connecting; /* SYN sent, no answer yet */
    bool readable;   /* recv() has not said EAGAIN since; of a listener: accept() */
    bool writable;   /* the same for send() */
    bool read_on;    /* a short recv() does not mean that all was read: FIN or urgent data */
    bool eof_told;   /* rx() answered ND_EOF and keeps to it */
    bool ended;      /* end() was called */
    bool shut;       /* and the FIN is queued */
    bool corked;     /* bytes may wait for more to follow */
    bool listed;     /* in bsd->corked */
};

/* What the owner gives. It outlives the instance. */
struct nd_bsd_cfg {
    struct nd_bsd_slot *slots; /* the pool; need not be zero */
    uint32_t slot_count;       /* connections, listeners and sockets together */
    uint8_t *buffers;          /* slot_count * rx_bytes; what rx() lends is here */
    /* Largest piece that rx() lends [byte]. A datagram of as many or more is dropped, for recv()
     * does not tell whether it was cut: 1473 takes all that fit into an Ethernet frame. */
    uint32_t rx_bytes;
    uint32_t send_bytes;             /* SO_SNDBUF of each socket [byte]; 0 = the system's choice */
    uint32_t receive_bytes;          /* SO_RCVBUF of each socket [byte]; 0 = the system's choice */
    uint32_t datagram_receive_bytes; /* the same of datagram sockets alone; 0 = receive_bytes */
    /* Bytes sent to this TCP socket and not yet acknowledged, a FIN counting as one; negative when
     * not known. NULL: this system cannot tell. It is what makes the tail of a test known. */
    int64_t (*unacked)(int fd);
    /* Break this TCP connection off, so that close() sends RST. NULL: SO_LINGER 0 does it. */
    void (*abort)(int fd);
    const char *version; /* static: "eCos 3.1, FreeBSD stack"; NULL = "unknown" */
};

/* What Linux does otherwise (ports/posix); NULL and 0 for all others. */
struct nd__bsd_system;

/* An instance. Owner: the caller, and only the port writes to it. */
struct nd_bsd {
    const struct nd__bsd_system *system;
    struct nd_bsd_cfg cfg;
    struct nd_bsd_slot *corked; /* to be pushed by the next step() */
    uint32_t accept_waiting;    /* listeners that are readable */
    uint32_t datagram_waiting;  /* datagram sockets that are */
    int error;                  /* errno of the latest failed opening */
};

/* Make an instance. ND_OK; ND_E_ARG without slots, buffers or rx_bytes, or with more than
 * ND_CFG_BSD_SLOTS. No socket is opened yet. */
int nd_bsd_init(struct nd_bsd *bsd, const struct nd_bsd_cfg *cfg);

/* Reset every connection and close every socket; to be used no more until the next init. */
void nd_bsd_finish(struct nd_bsd *bsd);

/* Sleep until a step() would find something new (ND_OK; also when a signal comes) or timeout_ms
 * have passed (ND_AGAIN). A task of an RTOS calls it when nd_agent_poll() had nothing to do, for no
 * longer than until the agent's next wake. */
int nd_bsd_wait(struct nd_bsd *bsd, uint32_t timeout_ms);

/* errno behind the latest listen(), connect() or udp_open() that failed; 0 = none has. They leave
 * no connection whose cause() could tell. */
int nd_bsd_errno(const struct nd_bsd *bsd);

/* The port; its context is a struct nd_bsd. */
extern const struct nd_port nd_port_bsd;

#ifdef __cplusplus
}
#endif
#endif

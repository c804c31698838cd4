/* SPDX-License-Identifier: BSD-3-Clause */
/* slot.h - what the files of the port share, and with it those of ports that are made of them. */
#ifndef ND_BSD_SLOT_H
#define ND_BSD_SLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "bsd.h"
#include "sys.h"

enum slot_kind { SLOT_FREE, SLOT_LISTENER, SLOT_TCP, SLOT_UDP };

/* What a system does by means of its own. It is NULL for one that has none; its members are not. */
struct nd__bsd_system {
    int (*open_socket)(int domain, int type); /* non-blocking; or -1 with errno */
    int (*take_caller)(int fd, struct sockaddr *from, socklen_t *len); /* the same */
    int (*watch)(struct nd_bsd_slot *slot);    /* tell its edges; ND_OK or the result */
    bool (*provide)(struct nd_bsd_slot *slot); /* a buffer, when it first receives */
    /* Descriptors are out: reset a caller of this listener nevertheless. True when done. */
    bool (*turn_away)(struct nd_bsd_slot *listener);
    int more_flag; /* of send(): more follows. The system's step() pushes bsd->corked */
};

/* The port's view of a connection: struct nd_conn is nothing but a slot. */
static inline struct nd_bsd_slot *nd__slot_of(struct nd_conn *conn) {
    return (struct nd_bsd_slot *)(void *)conn;
}

static inline struct nd_conn *nd__slot_conn(struct nd_bsd_slot *slot) {
    return (struct nd_conn *)(void *)slot;
}

/* Nothing there, or no room: the two names of it may be two numbers. */
static inline bool nd__bsd_again(int errnum) {
    /* cppcheck-suppress knownConditionTrueFalse ; here they are one */
    return errnum == EAGAIN || errnum == EWOULDBLOCK;
}

/* A free slot made ready for this socket; NULL when the pool is full. */
struct nd_bsd_slot *nd__slot_take(struct nd_bsd *bsd, enum slot_kind kind);

/* Let the system tell its edges, if it does. ND_OK or the result. */
int nd__slot_watch(struct nd_bsd_slot *slot);

/* Make sure of a receive buffer: true, or false when memory is out. */
bool nd__slot_provide(struct nd_bsd_slot *slot);

/* A listener has callers, or a socket datagrams, or not. */
void nd__slot_set_waiting(struct nd_bsd_slot *slot, bool waiting);

/* Keep the first error that ends a connection; returns what all calls answer from now on. */
int nd__slot_fail(struct nd_bsd_slot *slot, int errnum);

/* Sending said no: true where that means "later". */
bool nd__slot_send_later(struct nd_bsd_slot *slot, int errnum);

/* The error that the system keeps for this socket, taken away; 0 = none. */
int nd__slot_pending_error(const struct nd_bsd_slot *slot);

/* Close the socket and free the slot; abort: by RST. */
void nd__slot_close(struct nd_bsd_slot *slot, bool abort);

/* Fill in the local address as the system knows it; asked: the one that it was bound to. */
void nd__slot_learn_local(struct nd_bsd_slot *slot);
void nd__slot_learn_bound(struct nd_bsd_slot *slot, const struct nd_addr *asked);

/* A new socket bound to `at`, any address when its family is 0: the descriptor, or -1 with
 * errno. *v6 tells its family. */
int nd__socket_bound(const struct nd_bsd *bsd, int type, const struct nd_addr *at, bool *v6);

/* A new socket of this family (4 or 6) and type: the descriptor, or -1 with errno. */
int nd__socket_open(const struct nd_bsd *bsd, int family, int type);

/* Take a caller: the descriptor, or -1 with errno. */
int nd__socket_accept(const struct nd_bsd *bsd, int listener, union nd__address *from);

/* Set an option whose value is an int. */
void nd__socket_set(int fd, int level, int name, int value);

/* Close this descriptor by RST. */
void nd__socket_reset(const struct nd_bsd *bsd, int fd);

/* The result that stands for this errno. */
int nd__bsd_result(int errnum);

/* The result, and errno kept for nd_bsd_errno(). */
int nd__bsd_failed(struct nd_bsd *bsd, int errnum);

/* Close every socket of the instance, connections by RST. */
void nd__bsd_close_all(struct nd_bsd *bsd);

/* What step() answers from what is known. */
unsigned nd__bsd_waiting(const struct nd_bsd *bsd);

/* Between the system's addresses and ours. An IPv4 address inside IPv6 becomes an IPv4 one, and
 * the reverse when the socket is v6. Returns the length; 0 for an address the socket cannot use. */
socklen_t nd__address_put(const struct nd_addr *addr, bool v6, union nd__address *out);
void nd__address_get(const union nd__address *in, struct nd_addr *addr);

/* The calls of the port, in stream.c and datagram.c. ctx begins with a struct nd_bsd. */
const char *nd__bsd_version(void *ctx);
int nd__bsd_listen(void *ctx, const struct nd_addr *at, struct nd_conn **listener);
int nd__bsd_accept(struct nd_conn *listener, struct nd_conn **accepted);
int nd__bsd_connect(void *ctx, const struct nd_addr *to, struct nd_conn **conn);
int nd__bsd_status(struct nd_conn *conn);
int32_t nd__bsd_tx(struct nd_conn *conn, const void *bytes, uint32_t len, unsigned flags);
int32_t nd__bsd_rx(struct nd_conn *conn, const void **bytes);
bool nd__bsd_rx_done(struct nd_conn *conn, uint32_t len);
int nd__bsd_end(struct nd_conn *conn);
int nd__bsd_udp_open(void *ctx, const struct nd_addr *at, struct nd_conn **socket);
int32_t nd__bsd_udp_tx(struct nd_conn *socket, const struct nd_addr *to, const void *bytes,
                       uint32_t len, unsigned flags);
int32_t nd__bsd_udp_rx(struct nd_conn *socket, struct nd_addr *from, const void **bytes);
void nd__bsd_close(struct nd_conn *conn);
void nd__bsd_info(struct nd_conn *conn, struct nd_conn_info *info);
int32_t nd__bsd_cause(struct nd_conn *conn);

/* The step of a system that is asked each time; in bsd.c. */
unsigned nd__bsd_step(void *ctx);

/* A struct nd_port over these calls; can_: what it can beyond TCP, UDP and IPv6. */
#define ND__BSD_PORT(name_, step_, can_)                                                           \
    {                                                                                              \
        .abi = ND_PORT_ABI,                                                                        \
        .can = ND_PORT_TCP | ND_PORT_UDP | (ND__BSD_IPV6 ? ND_PORT_IPV6 : 0u) | (can_),            \
        .name = (name_), .version = nd__bsd_version, .step = (step_), .listen = nd__bsd_listen,    \
        .accept = nd__bsd_accept, .connect = nd__bsd_connect, .status = nd__bsd_status,            \
        .tx = nd__bsd_tx, .rx = nd__bsd_rx, .rx_done = nd__bsd_rx_done, .end = nd__bsd_end,        \
        .udp_open = nd__bsd_udp_open, .udp_tx = nd__bsd_udp_tx, .udp_rx = nd__bsd_udp_rx,          \
        .close = nd__bsd_close, .info = nd__bsd_info, .cause = nd__bsd_cause,                      \
    }

#endif

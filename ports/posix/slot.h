/* SPDX-License-Identifier: BSD-3-Clause */
/* slot.h - what the files of the posix port share. */
#ifndef ND_POSIX_SLOT_H
#define ND_POSIX_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

#include "posix.h"

/* Room for a datagram of any size [byte]. */
#define ND__DATAGRAM_BYTES 65536u

enum slot_kind { SLOT_FREE, SLOT_LISTENER, SLOT_TCP, SLOT_UDP };

/* One place of the pool. The flags remember edges: epoll tells each only once. */
struct slot {
    struct nd_posix *posix;
    struct slot *next_corked; /* in posix->corked */
    uint8_t *buffer;          /* received, lent by rx(); kept for the slot's next user */
    uint32_t buffer_bytes;    /* its size [byte] */
    uint32_t start;           /* where the bytes not given back begin */
    uint32_t count;           /* how many they are */
    struct nd_addr local;
    struct nd_addr peer; /* of a datagram socket: who sent what the buffer holds */
    int fd;
    int error;       /* enum nd_result that ended it; ND_OK = alive */
    int32_t cause;   /* errno behind the latest error */
    uint8_t kind;    /* enum slot_kind */
    bool v6;         /* the socket is AF_INET6 */
    bool connecting; /* SYN sent, no answer yet */
    bool readable;   /* recv() has not said EAGAIN since the latest edge; of a listener: accept() */
    bool writable;   /* the same for send() */
    bool read_on;    /* a short recv() does not mean that all was read: FIN or urgent data */
    bool eof_told;   /* rx() answered ND_EOF and keeps to it */
    bool ended;      /* end() was called */
    bool shut;       /* and the FIN is queued */
    bool corked;     /* bytes may wait for more to follow */
    bool listed;     /* in posix->corked */
};

struct nd_posix {
    struct nd_posix_cfg cfg;
    struct slot *slots;
    struct slot *corked;       /* to be pushed by the next step() */
    uint32_t accept_waiting;   /* listeners that are readable */
    uint32_t datagram_waiting; /* datagram sockets that are */
    struct nd_clock clock;
    uint64_t idle_ns;  /* as of the clock's latest reading; the rest is clock.c's */
    uint64_t slept_ns; /* elapsed time less processor time, when last asked */
    uint64_t start_ns; /* time of the instance's making, and processor time then */
    uint64_t start_cpu_ns;
    uint64_t read_ns;  /* time of the latest reading */
    uint64_t asked_ns; /* time when the processor time was last asked for */
    int epoll_fd;
    int reserve_fd; /* given up for a moment to turn a caller away when descriptors are out */
    int error;      /* errno of the latest failed opening */
    char version[128];
};

/* The port's view of a connection: struct nd_conn is nothing but a slot. */
static inline struct slot *nd__slot_of(struct nd_conn *conn) {
    return (struct slot *)(void *)conn;
}

static inline struct nd_conn *nd__slot_conn(struct slot *slot) {
    return (struct nd_conn *)(void *)slot;
}

/* A free slot made ready for this socket; NULL when the pool is full. */
struct slot *nd__slot_take(struct nd_posix *posix, enum slot_kind kind);

/* Let epoll tell its edges. ND_OK or the result. */
int nd__slot_register(struct slot *slot);

/* Make sure of a receive buffer of this size: true, or false when memory is out. */
bool nd__slot_buffer(struct slot *slot, uint32_t bytes);

/* A listener has callers, or a socket datagrams, or not. */
void nd__slot_set_waiting(struct slot *slot, bool waiting);

/* Keep the first error that ends a connection; returns what all calls answer from now on. */
int nd__slot_fail(struct slot *slot, int errnum);

/* Close the socket and free the slot; abort: by RST. */
void nd__slot_close(struct slot *slot, bool abort);

/* Fill in the local address as the kernel knows it. */
void nd__slot_learn_local(struct slot *slot);

/* A new socket bound to `at`, any address when its family is 0: the descriptor, or -1 with
 * errno. *v6 tells its family. */
int nd__socket_bound(const struct nd_posix *posix, int type, const struct nd_addr *at, bool *v6);

/* A new socket of this family (4 or 6) and type: the descriptor, or -1 with errno. */
int nd__socket_open(const struct nd_posix *posix, int family, int type);

/* Close this descriptor by RST. */
void nd__socket_reset(int fd);

/* The result that stands for this errno. */
int nd__posix_result(int errnum);

/* The result, and errno kept for nd_posix_errno(). */
int nd__posix_failed(struct nd_posix *posix, int errnum);

/* Between the kernel's addresses and ours. An IPv4 address inside IPv6 becomes an IPv4 one, and
 * the reverse when the socket is v6. Returns the length; 0 for an address the socket cannot use. */
socklen_t nd__address_put(const struct nd_addr *addr, bool v6, struct sockaddr_storage *out);
void nd__address_get(const struct sockaddr_storage *in, struct nd_addr *addr);

/* In clock.c: begin to count; and count idle up to now, asking for the processor time surely or
 * only when it is due. */
void nd__posix_start_clock(struct nd_posix *posix);
void nd__posix_count_idle(struct nd_posix *posix, uint64_t now_ns, bool surely);

/* The step of the port, in context.c. */
unsigned nd__posix_step(void *ctx);

/* The datagram half of the port, in datagram.c. */
int nd__posix_udp_open(void *ctx, const struct nd_addr *at, struct nd_conn **socket);
int32_t nd__posix_udp_tx(struct nd_conn *socket, const struct nd_addr *to, const void *bytes,
                         uint32_t len, unsigned flags);
int32_t nd__posix_udp_rx(struct nd_conn *socket, struct nd_addr *from, const void **bytes);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* declared.h - as much of picoTCP's interface as the port uses, written from its manual and in its
 * names, so that the port is compiled where picoTCP is not. Nothing is ever linked or run with it:
 * layouts and values are picoTCP's own business, and where it is present its own headers serve. */
#ifndef ND_PICOTCP_DECLARED_H
#define ND_PICOTCP_DECLARED_H

#include <stddef.h>
#include <stdint.h>

#define PICO_IP4_ANY           0u
#define PICO_PROTO_IPV4        0
#define PICO_PROTO_TCP         6
#define PICO_PROTO_UDP         17
#define PICO_DEFAULT_SOCKETQ   6144
#define PICO_SHUT_WR           2
#define PICO_SOCKET_OPT_LINGER 13
#define PICO_SOCKET_OPT_RCVBUF 52

#define PICO_SOCK_EV_RD    1u
#define PICO_SOCK_EV_WR    2u
#define PICO_SOCK_EV_CONN  4u
#define PICO_SOCK_EV_CLOSE 8u
#define PICO_SOCK_EV_FIN   16u
#define PICO_SOCK_EV_ERR   128u

#define PICO_SOCKET_STATE_SHUT_REMOTE     0x0002u
#define PICO_SOCKET_STATE_CLOSED          0x0020u
#define PICO_SOCKET_STATE_TCP             0xFF00u
#define PICO_SOCKET_STATE_TCP_LISTEN      0x0200u
#define PICO_SOCKET_STATE_TCP_SYN_SENT    0x0300u
#define PICO_SOCKET_STATE_TCP_SYN_RECV    0x0400u
#define PICO_SOCKET_STATE_TCP_ESTABLISHED 0x0500u
#define PICO_SOCKET_STATE_TCP_CLOSE_WAIT  0x0600u
#define PICO_SOCKET_STATE_TCP_FIN_WAIT1   0x0800u
#define PICO_SOCKET_STATE_TCP_FIN_WAIT2   0x0900u
#define PICO_SOCKET_STATE_TCP_TIME_WAIT   0x0B00u
#define TCPSTATE(socket)                  ((socket)->state & PICO_SOCKET_STATE_TCP)

#define PICO_SIZE_TCPHDR         20u
#define PICO_TCPOPTLEN_TIMESTAMP 10u

typedef enum {
    PICO_ERR_NOERR,
    PICO_ERR_ENOMEM,
    PICO_ERR_EINVAL,
    PICO_ERR_ENONET,
    PICO_ERR_EADDRINUSE,
    PICO_ERR_EADDRNOTAVAIL,
    PICO_ERR_ENETDOWN,
    PICO_ERR_ENETUNREACH,
    PICO_ERR_ECONNRESET,
    PICO_ERR_ETIMEDOUT,
    PICO_ERR_ECONNREFUSED,
    PICO_ERR_EHOSTDOWN,
    PICO_ERR_EHOSTUNREACH
} pico_err_t;

extern volatile pico_err_t pico_err;

static inline uint16_t short_be(uint16_t value) {
    return (uint16_t)(value << 8 | value >> 8);
}

struct pico_ip4 {
    uint32_t addr;
};

union pico_address {
    struct pico_ip4 ip4;
};

struct pico_tree_node {
    void *keyValue;
};

struct pico_tree {
    struct pico_tree_node *root;
};

struct pico_frame {
    uint8_t *net_hdr;
    uint8_t *transport_hdr;
    uint16_t transport_len;
};

struct pico_queue {
    uint32_t frames;
};

struct pico_device {
    struct pico_queue *q_out;
};

struct pico_protocol {
    struct pico_queue *q_out;
};

struct pico_sockport {
    struct pico_tree socks;
};

struct pico_socket {
    union pico_address local_addr;
    uint16_t local_port;
    struct pico_queue q_in;
    void (*wakeup)(uint16_t events, struct pico_socket *socket);
    struct pico_socket *parent;
    struct pico_device *dev;
    uint16_t state;
    void *priv;
};

struct pico_trans {
    uint16_t sport;
    uint16_t dport;
};

struct pico_udp_hdr {
    struct pico_trans trans;
    uint16_t len;
    uint16_t crc;
};

struct pico_ipv4_hdr {
    struct pico_ip4 src;
};

extern struct pico_protocol pico_proto_udp;
extern struct pico_tree_node LEAF;

struct pico_tree_node *pico_tree_firstNode(struct pico_tree_node *root);
struct pico_tree_node *pico_tree_next(struct pico_tree_node *node);

#define pico_tree_foreach(node, tree)                                                              \
    for (node = pico_tree_firstNode((tree)->root); node != &LEAF; node = pico_tree_next(node))

struct pico_frame *pico_queue_peek(struct pico_queue *queue);
struct pico_frame *pico_dequeue(struct pico_queue *queue);
void pico_frame_discard(struct pico_frame *frame);

struct pico_device *pico_ipv4_link_find(struct pico_ip4 *address);
struct pico_device *pico_ipv4_source_dev_find(const struct pico_ip4 *to);

struct pico_socket *pico_socket_open(uint16_t net, uint16_t proto,
                                     void (*wakeup)(uint16_t events, struct pico_socket *socket));
int pico_socket_bind(struct pico_socket *socket, void *address, uint16_t *port);
int pico_socket_connect(struct pico_socket *socket, const void *address, uint16_t port);
int pico_socket_listen(struct pico_socket *socket, int backlog);
struct pico_socket *pico_socket_accept(struct pico_socket *socket, void *address, uint16_t *port);
int pico_socket_read(struct pico_socket *socket, void *bytes, int len);
int pico_socket_write(struct pico_socket *socket, const void *bytes, int len);
int pico_socket_sendto(struct pico_socket *socket, const void *bytes, int len, void *to,
                       uint16_t port);
int pico_socket_setoption(struct pico_socket *socket, int option, void *value);
int pico_socket_shutdown(struct pico_socket *socket, int mode);
int pico_socket_close(struct pico_socket *socket);
int8_t pico_socket_add(struct pico_socket *socket);
int8_t pico_socket_del(struct pico_socket *socket);
uint32_t pico_socket_get_mss(struct pico_socket *socket);
struct pico_sockport *pico_get_sockport(uint16_t proto, uint16_t port);

uint16_t pico_tcp_get_socket_mss(struct pico_socket *socket);
uint16_t pico_tcp_overhead(struct pico_socket *socket);
int pico_tcp_output(struct pico_socket *socket, int segments);
int pico_tcp_queue_in_is_empty(struct pico_socket *socket);
void pico_tcp_cleanup_queues(struct pico_socket *socket);

#endif

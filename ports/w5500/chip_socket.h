/* SPDX-License-Identifier: BSD-3-Clause */
/* chip_socket.h - one of the chip's sockets: its commands, its buffers, and what is known of it. */
#ifndef ND_W5500_SOCKET_H
#define ND_W5500_SOCKET_H

#include "bus.h"

/* nd_w5500_socket.use */
enum {
    ND__W5500_FREE,
    ND__W5500_LISTENS, /* for its slot, the listener */
    ND__W5500_WAITS,   /* connected, and not accepted: its slot is the listener */
    ND__W5500_CARRIES, /* its slot's connection */
    ND__W5500_LINGERS, /* the connection of a slot that was closed */
    ND__W5500_DATAGRAMS
};

/* nd_w5500_slot.kind */
enum { ND__W5500_NO_KIND, ND__W5500_LISTENER, ND__W5500_CONNECTION, ND__W5500_SOCKET };

/* A free socket for TCP or UDP; if need be, one that lingers is cut off. NULL = none. */
struct nd_w5500_socket *nd__w5500_take_socket(struct nd_w5500 *port, bool udp);

/* Open it for this protocol on this local port. False: the chip did not obey. */
bool nd__w5500_open(struct nd_w5500 *port, struct nd_w5500_socket *socket, uint8_t protocol,
                    uint16_t local_port);

/* Give a command, if need be after a short wait for the one before. False: that was not taken. */
bool nd__w5500_command(struct nd_w5500 *port, struct nd_w5500_socket *socket, uint8_t command);

/* Read what the chip says of it, in one transaction, and take over what that brings. False: a
 * command is not taken yet, look again. */
bool nd__w5500_look(struct nd_w5500 *port, struct nd_w5500_socket *socket);

/* Take up to max received bytes out of the chip; they make room there at once. The count. */
uint16_t nd__w5500_fetch(struct nd_w5500 *port, struct nd_w5500_socket *socket, uint8_t *bytes,
                         uint32_t max);

/* Write bytes into the chip, for which there is room; they leave with the next flush. */
void nd__w5500_store(struct nd_w5500 *port, struct nd_w5500_socket *socket, const void *bytes,
                     uint16_t len);

/* Send what was stored, unless a SEND is under way; and a FIN when it is due. */
void nd__w5500_flush(struct nd_w5500 *port, struct nd_w5500_socket *socket);

/* Stored and not yet acknowledged [byte]. */
uint16_t nd__w5500_unacknowledged(const struct nd_w5500 *port,
                                  const struct nd_w5500_socket *socket);

/* Whom the next connect or datagram goes to. */
void nd__w5500_set_peer(struct nd_w5500 *port, struct nd_w5500_socket *socket, const uint8_t ip[4],
                        uint16_t peer_port);

/* Break off: the peer is reset where the chip can, and the socket is free. */
void nd__w5500_abort(struct nd_w5500 *port, struct nd_w5500_socket *socket);

/* A port number that no socket of this chip has. */
uint16_t nd__w5500_choose_port(struct nd_w5500 *port);

/* Its number. */
static inline unsigned nd__w5500_number(const struct nd_w5500 *port,
                                        const struct nd_w5500_socket *socket) {
    return (unsigned)(socket - port->sockets);
}

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* nd_w5500.h - the port over WIZnet's W5500, a TCP/IP stack in hardware behind SPI, and over the
 * W55RP20, which holds one. It needs no vendor library, only the four bus functions that users of
 * WIZnet's ioLibrary already have.
 *
 * Nothing blocks: a command is given and its effect is looked at in a later step(). Where two
 * commands follow each other the port reads the command register a bounded number of times. */
#ifndef ND_W5500_H
#define ND_W5500_H

#include <stdbool.h>
#include <stdint.h>

#include "nd/bus.h"
#include "nd/port.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ND_W5500_SOCKETS 8u

/* A received datagram and the chip's 8 bytes in front of it [byte]. */
#define ND_W5500_STAGE_MIN 1480u

/* The bus: select and deselect drive the chip select; read and write move bytes in between, most
 * significant bit first, SPI mode 0 or 3. */
struct nd_w5500_bus {
    void (*select)(void);
    void (*deselect)(void);
    void (*read)(uint8_t *bytes, uint16_t len);
    void (*write)(uint8_t *bytes, uint16_t len); /* leaves them unchanged */
};

struct nd_w5500_cfg {
    struct nd_w5500_bus bus;
    uint8_t mac[6];
    uint8_t ip[4];
    uint8_t mask[4];
    uint8_t gateway[4]; /* all zero = none */
    /* The chip's 16 KiB each way, by socket: 0, 1, 2, 4, 8 or 16; a socket with 0 in either is not
     * used. All zero in both = 2 each. UDP takes the first free socket, TCP the last, so that
     * sizes of one kind should be equal [KiB]. */
    uint8_t rx_kib[ND_W5500_SOCKETS];
    uint8_t tx_kib[ND_W5500_SOCKETS];
    uint16_t first_port; /* of those that the port chooses, 1024..; 0 = 49152 (RFC 6335) */
};

/* What one of the chip's sockets is doing. The port's. */
struct nd_w5500_socket {
    uint8_t use;    /* 0 = free */
    uint8_t state;  /* Sn_SR as of the latest look */
    uint8_t flags;  /* Sn_IR as of the latest look */
    uint8_t seen;   /* all of Sn_IR since it was opened */
    bool hot;       /* to be looked at in every step */
    bool woken;     /* by its flags, which are not cleared yet */
    bool busy;      /* a command was given, and may not have been taken */
    bool returning; /* a RECV command is owed */
    bool sending;   /* a SEND is not done */
    bool gone;      /* Sn_SR went back to closed: the registers mean nothing any more */
    bool ended;     /* our direction ends when all is acknowledged */
    bool fin_sent;  /* the DISCON command was given */
    bool fin_seen;  /* the peer ended its direction */
    uint8_t peer_ip[4];
    uint16_t peer_port;
    uint16_t local_port;
    uint16_t tx_write;          /* written into the chip's buffer up to here */
    uint16_t tx_told;           /* of that, given to SEND */
    uint16_t tx_room;           /* for more [byte] */
    uint16_t rx_read;           /* taken from the chip's buffer up to here */
    uint16_t rx_there;          /* at least so much is behind that [byte] */
    uint32_t order;             /* of who waits to be accepted, and of who lingers */
    struct nd_w5500_slot *slot; /* whose it is; NULL = it lingers */
};

/* One slot of the pool. Owner: the caller, who reads and writes none of it. */
struct nd_w5500_slot {
    struct nd_w5500 *port;
    uint8_t kind;  /* 0 = free */
    int8_t status; /* what status() answers */
    uint16_t local_port;
    int32_t cause; /* Sn_IR and Sn_SR behind the latest error: 0x10000 + IR * 256 + SR */
    struct nd_w5500_socket *socket; /* listener: the one that listens; NULL = none can now */
    uint8_t *stage;                 /* received bytes, as engines borrow them */
    uint16_t stage_first;
    uint16_t stage_end;
};

/* Always-on counters beside those of the bus. */
struct nd_w5500_counts {
    uint64_t looks;       /* status blocks read */
    uint64_t bursts;      /* reads of a receive buffer */
    uint64_t datagrams;   /* received in them */
    uint32_t turned_away; /* callers reset because the pool was full */
    uint32_t cut_off;     /* closed connections that were not left to finish, for want of sockets */
    uint32_t unreachable; /* datagrams dropped because nobody answered ARP */
    uint32_t garbled;     /* UDP sockets reopened because a header made no sense */
    uint32_t stuck;       /* times that a command was not taken in time */
};

/* The context of the port. Owner: the caller. */
struct nd_w5500 {
    struct nd_w5500_bus bus;
    struct nd_bus_counts bus_counts;
    struct nd_w5500_counts counts;
    struct nd_w5500_socket sockets[ND_W5500_SOCKETS];
    uint8_t rx_kib[ND_W5500_SOCKETS];
    uint8_t tx_kib[ND_W5500_SOCKETS];
    uint8_t ip[4];
    struct nd_w5500_slot *slots;
    uint32_t slot_count;
    uint16_t stage_bytes;
    uint16_t next_port;
    uint32_t order;
    uint8_t watched; /* the socket whose state was asked for last */
    char version[24];
};

/* Reset the chip and make a context of it. slots[count] and stage[count * stage_bytes] stay in
 * place while it is used; stage_bytes is ND_W5500_STAGE_MIN or more, and with the size of the
 * chip's receive buffer all that waits there is taken in one transaction. A slot serves one
 * connection, listener or datagram socket: more than the chip has sockets are of no use, fewer
 * leave some to connections that finish after close(). ND_OK; ND_E_ARG; ND_E_UNSUPPORTED when no
 * W5500 answers. */
int nd_w5500_init(struct nd_w5500 *port, const struct nd_w5500_cfg *cfg,
                  struct nd_w5500_slot *slots, uint32_t slot_count, uint8_t *stage,
                  uint32_t stage_bytes);

/* The port; its context is a struct nd_w5500. */
extern const struct nd_port nd_port_w5500;

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* chip.h - a model of WIZnet's W5500, on a bus and on an Ethernet.
 *
 * Modelled: the SPI frame, the common and the sockets' registers, the sockets' states and commands
 * for TCP and UDP, interrupt flags, 16 and 16 KiB of buffers, retransmission limits, ping; and what
 * a transfer on the bus costs. Inside is lwIP, which retransmits by its own timers, not by the
 * chip's. docs/w5500.md lists what is left out and where the datasheet is silent.
 *
 * lwIP keeps its state in globals, so there is one chip in a process. */
#ifndef ND_SIM_CHIP_H
#define ND_SIM_CHIP_H

#include <stdbool.h>
#include <stdint.h>

/* A transfer is charged in pieces of at most so long, and the world goes on between two [ns]. */
#define ND_CHIP_PIECE_NS 20000u

struct nd_chip_cfg {
    /* Put a frame on the wire; the bytes are the chip's. May not call back. */
    void (*send)(void *ctx, const void *frame, uint32_t bytes);
    /* So much time passed on the bus; the time moves, and frames may be handed in. */
    void (*elapse)(void *ctx, uint64_t ns);
    /* The time; never goes back [ns]. */
    uint64_t (*now_ns)(void *ctx);
    void *ctx;
    uint32_t spi_hz;    /* clock of the bus; above 0 */
    uint32_t select_ns; /* what a transaction costs beside its clocks [ns] */
    uint32_t seed;      /* of initial sequence numbers */
};

/* What a driver did that the datasheet forbids. A correct driver leaves all at 0. */
struct nd_chip_faults {
    uint32_t early_commands;   /* Sn_CR was written before it had gone back to 0 */
    uint32_t unknown_commands; /* no such command */
    uint32_t state_commands;   /* a command that this state does not know */
    uint32_t rx_overreads;     /* RECV behind what was received */
    uint32_t tx_overfills;     /* SEND of more than was free */
    uint32_t early_sends;      /* SEND before the one before was done */
    uint32_t oversized;        /* OPEN while the sockets' buffers are more than 16 KiB together */
    uint32_t bad_blocks;       /* a block select that is reserved */
};

/* Apply power. Once a process; again means a hardware reset. */
void nd_chip_start(const struct nd_chip_cfg *cfg);

/* A frame arrived on the wire. */
void nd_chip_receive(const void *frame, uint32_t bytes);

/* Let what is due happen, and how long nothing will be [ms]. */
void nd_chip_run(void);
uint32_t nd_chip_sleep_ms(void);

/* The level of INTn: true when the chip asks for attention. */
bool nd_chip_interrupt(void);

/* The bus, as drivers register it: a transaction is select, bytes, deselect. */
void nd_chip_select(void);
void nd_chip_deselect(void);
void nd_chip_write(uint8_t *bytes, uint16_t len);
void nd_chip_read(uint8_t *bytes, uint16_t len);

/* Datagrams dropped because a socket's buffer was full. */
uint32_t nd_chip_dropped_datagrams(void);

const struct nd_chip_faults *nd_chip_faults(void);

#endif

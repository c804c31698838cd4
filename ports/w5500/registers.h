/* SPDX-License-Identifier: BSD-3-Clause */
/* registers.h - what the port uses of the W5500's registers (datasheet 1.0.9, chapter 4). */
#ifndef ND_PORT_W5500_REGISTERS_H
#define ND_PORT_W5500_REGISTERS_H

/* Common registers. */
#define ND__W5500_MODE           0x0000u
#define ND__W5500_ADDRESSES      0x0001u /* gateway, mask, MAC, IP: 18 bytes in a row */
#define ND__W5500_INTERRUPTS     0x0017u /* SIR: a bit per socket */
#define ND__W5500_INTERRUPT_MASK 0x0018u /* SIMR: those that INTn tells of */
#define ND__W5500_VERSION        0x0039u

#define ND__W5500_MODE_RESET 0x80u
#define ND__W5500_IS_VERSION 0x04u

/* A socket's registers. */
#define ND__W5500_SN_MODE     0x0000u
#define ND__W5500_SN_COMMAND  0x0001u
#define ND__W5500_SN_FLAGS    0x0002u
#define ND__W5500_SN_STATE    0x0003u
#define ND__W5500_SN_PORT     0x0004u
#define ND__W5500_SN_PEER     0x000Cu /* IP and port: 6 bytes in a row */
#define ND__W5500_SN_SIZES    0x001Eu /* receive, transmit [KiB] */
#define ND__W5500_SN_TX_FREE  0x0020u
#define ND__W5500_SN_TX_READ  0x0022u
#define ND__W5500_SN_TX_WRITE 0x0024u
#define ND__W5500_SN_RX_SIZE  0x0026u
#define ND__W5500_SN_RX_READ  0x0028u

#define ND__W5500_TCP 0x01u
#define ND__W5500_UDP 0x02u

/* Sn_CR. */
enum {
    ND__W5500_OPEN = 0x01,
    ND__W5500_LISTEN = 0x02,
    ND__W5500_CONNECT = 0x04,
    ND__W5500_DISCON = 0x08,
    ND__W5500_CLOSE = 0x10,
    ND__W5500_SEND = 0x20,
    ND__W5500_KEEP = 0x22,
    ND__W5500_RECV = 0x40
};

/* Sn_IR. */
enum { ND__W5500_DISCONNECTED = 0x02, ND__W5500_TIMED_OUT = 0x08 };

/* Sn_SR. */
enum {
    ND__W5500_IS_CLOSED = 0x00,
    ND__W5500_IS_INIT = 0x13,
    ND__W5500_IS_LISTEN = 0x14,
    ND__W5500_IS_SYNSENT = 0x15,
    ND__W5500_IS_SYNRECV = 0x16,
    ND__W5500_IS_ESTABLISHED = 0x17,
    ND__W5500_IS_CLOSING = 0x1A,
    ND__W5500_IS_TIME_WAIT = 0x1B,
    ND__W5500_IS_CLOSE_WAIT = 0x1C,
    ND__W5500_IS_LAST_ACK = 0x1D,
    ND__W5500_IS_UDP = 0x22
};

#endif

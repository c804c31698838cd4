/* SPDX-License-Identifier: BSD-3-Clause */
/* registers.h - the register map of the W5500 (datasheet 1.0.9, chapters 2 to 4).
 *
 * The port has a list of its own: two transcriptions that must agree are worth more than one. */
#ifndef ND_W5500_REGISTERS_H
#define ND_W5500_REGISTERS_H

enum {
    ND__SOCKETS = 8,
    ND__BUFFER_BYTES = 16384, /* all sockets' together, each way */
    ND__VERSION = 0x04
};

/* Common registers. */
enum {
    ND__MR = 0x00,
    ND__GAR = 0x01,
    ND__SUBR = 0x05,
    ND__SHAR = 0x09,
    ND__SIPR = 0x0F,
    ND__IR = 0x15,
    ND__IMR = 0x16,
    ND__SIR = 0x17,
    ND__SIMR = 0x18,
    ND__RTR = 0x19,
    ND__RCR = 0x1B,
    ND__PTIMER = 0x1C,
    ND__PHYCFGR = 0x2E,
    ND__VERSIONR = 0x39,
    ND__COMMON_REGISTERS = 0x40
};

enum {
    ND__MR_RST = 0x80,
    ND__MR_PB = 0x10,       /* do not answer ping */
    ND__PHYCFGR_UP = 0xBF,  /* out of reset, auto-negotiated: 100 Mbit/s, full duplex, link */
    ND__RTR_RESET = 0x07D0, /* 200 ms in units of 0.1 ms */
    ND__RCR_RESET = 0x08
};

/* Registers of a socket. */
enum {
    ND__SN_MR = 0x00,
    ND__SN_CR = 0x01,
    ND__SN_IR = 0x02,
    ND__SN_SR = 0x03,
    ND__SN_PORT = 0x04,
    ND__SN_DHAR = 0x06,
    ND__SN_DIPR = 0x0C,
    ND__SN_DPORT = 0x10,
    ND__SN_MSSR = 0x12,
    ND__SN_TTL = 0x16,
    ND__SN_RXBUF_SIZE = 0x1E,
    ND__SN_TXBUF_SIZE = 0x1F,
    ND__SN_TX_FSR = 0x20,
    ND__SN_TX_RD = 0x22,
    ND__SN_TX_WR = 0x24,
    ND__SN_RX_RSR = 0x26,
    ND__SN_RX_RD = 0x28,
    ND__SN_RX_WR = 0x2A,
    ND__SN_IMR = 0x2C,
    ND__SN_FRAG = 0x2D,
    ND__SN_KPALVTR = 0x2F,
    ND__SN_REGISTERS = 0x30
};

/* Protocols: the low half of Sn_MR. */
enum { ND__SN_MR_CLOSED = 0, ND__SN_MR_TCP = 1, ND__SN_MR_UDP = 2 };

/* Sn_CR. */
enum {
    ND__CR_OPEN = 0x01,
    ND__CR_LISTEN = 0x02,
    ND__CR_CONNECT = 0x04,
    ND__CR_DISCON = 0x08,
    ND__CR_CLOSE = 0x10,
    ND__CR_SEND = 0x20,
    ND__CR_SEND_MAC = 0x21,
    ND__CR_SEND_KEEP = 0x22,
    ND__CR_RECV = 0x40
};

/* Sn_IR. */
enum {
    ND__IR_CON = 0x01,
    ND__IR_DISCON = 0x02,
    ND__IR_RECV = 0x04,
    ND__IR_TIMEOUT = 0x08,
    ND__IR_SENDOK = 0x10
};

/* Sn_SR. */
enum {
    ND__SR_CLOSED = 0x00,
    ND__SR_INIT = 0x13,
    ND__SR_LISTEN = 0x14,
    ND__SR_SYNSENT = 0x15,
    ND__SR_SYNRECV = 0x16,
    ND__SR_ESTABLISHED = 0x17,
    ND__SR_FIN_WAIT = 0x18,
    ND__SR_CLOSING = 0x1A,
    ND__SR_TIME_WAIT = 0x1B,
    ND__SR_CLOSE_WAIT = 0x1C,
    ND__SR_LAST_ACK = 0x1D,
    ND__SR_UDP = 0x22
};

#endif

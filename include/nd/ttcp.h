/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/ttcp.h - the classic ttcp: no header, no handshake.
 *
 * TCP: the transmitter connects, the receiver accepts one connection and is done; the end is FIN.
 * UDP: datagrams of at most 4 bytes are marks. One begins the test, the next ends it, and four more
 * follow in case it is lost. Datagrams bear no number: what is lost is what was sent less what was
 * received. A receiver that hears no end mark is done when the sender has been silent for a
 * while. */
#ifndef ND_TTCP_H
#define ND_TTCP_H

#include "nd/agent.h"
#include "nd/console.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ND_TTCP_PORT        5001u /* as the text of 1989-91; that of 1987 used 2000 */
#define ND_TTCP_DEVICE_PORT 5000u /* as the Wi-Fi module's console */
#define ND_TTCP_BUFLEN      1024u /* as the Wi-Fi module's console [byte] */
#define ND_TTCP_NBUF        1024u

/* Shortest and longest datagram [byte]: longer than a mark, and what the pattern has in one piece.
 */
#define ND_TTCP_DATAGRAM_MIN 5u
#define ND_TTCP_DATAGRAM_MAX 1520u
#define ND_TTCP_SILENCE_MS   2500u /* UDP receiver: the sender has gone [ms] */

/* What to do. All zero but `transmit` and `addr` is a usable default. */
struct nd_ttcp_cfg {
    bool transmit;       /* else receive */
    bool udp;            /* datagrams */
    bool again;          /* receive: serve one caller after another until stopped */
    bool borrow;         /* transmit with ND_TX_STATIC: the stack need not copy */
    struct nd_addr addr; /* transmit: the receiver; receive: where to listen */
    uint64_t nbuf;   /* transmit: buffers to send; 0 = ND_TTCP_NBUF, or no end with duration_ns */
    uint32_t buflen; /* bytes per write [byte]; 0 = ND_TTCP_BUFLEN */
    uint64_t gap_ns; /* transmit UDP: from datagram to datagram; 0 = as the stack has room [ns] */
    uint64_t
        duration_ns; /* transmit: stop after so long even when nbuf is not reached; 0 = never */
};

/* One test. Owner: the caller; in use until its report has gone out (session.number is 0). */
struct nd_ttcp {
    struct nd_session session;
    struct nd_service service; /* receive: the listener */
    struct nd_ttcp_cfg cfg;
    struct nd_flow flow;
    uint64_t begin;      /* connection stood [ticks] */
    uint64_t left_bytes; /* transmit: still to send [byte] */
    uint32_t at;         /* transmit: bytes of the current buffer sent [byte] */
    uint32_t pattern_at; /* transmit: the same, within the pattern of 95 characters */
    uint64_t until;      /* transmit: stop then [ticks] */
    bool connected;
    bool ending;         /* transmit: end() was called; UDP: the end was sent, or received */
    struct nd_addr peer; /* UDP receiver: the first who sent */
    uint32_t marks;      /* UDP: sent, or received */
    uint64_t datagrams;  /* UDP: of data */
    uint64_t due;        /* UDP transmit with gap_ns: the next may leave then [ticks] */
    uint64_t silence;    /* UDP receiver: the sender has gone after so long [ticks] */
    uint64_t failures;   /* UDP: sends that the stack had no room for */
};

/* Begin a test. The report comes when it is over. ND_OK; ND_E_ARG for a datagram too short or too
 * long; ND_E_STATE when *ttcp is in use; or the
 * port's result. */
int nd_ttcp_start(struct nd_ttcp *ttcp, struct nd_agent *agent, const struct nd_ttcp_cfg *cfg);

/* The console command: "ttcp -t [-u] [-n N] [-l BYTES] [-p PORT] [-z] [-T MS] HOST" and
 * "ttcp -r [-u] [-p PORT]". command and ttcp: the caller's. */
void nd_ttcp_command(struct nd_command *command, struct nd_ttcp *ttcp);

#ifdef __cplusplus
}
#endif
#endif

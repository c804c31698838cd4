/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/ttcp.h - the classic ttcp over TCP: no header, no handshake; the end is FIN.
 *
 * The transmitter connects, the receiver accepts one connection and is done. */
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

/* What to do. All zero but `transmit` and `addr` is a usable default. */
struct nd_ttcp_cfg {
    bool transmit;       /* else receive */
    bool again;          /* receive: serve one caller after another until stopped */
    bool borrow;         /* transmit with ND_TX_STATIC: the stack need not copy */
    struct nd_addr addr; /* transmit: the receiver; receive: where to listen */
    uint64_t nbuf;   /* transmit: buffers to send; 0 = ND_TTCP_NBUF, or no end with duration_ns */
    uint32_t buflen; /* bytes per write [byte]; 0 = ND_TTCP_BUFLEN */
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
    bool ending; /* transmit: end() was called */
};

/* Begin a test. The report comes when it is over. ND_OK; ND_E_STATE when *ttcp is in use; or the
 * port's result. */
int nd_ttcp_start(struct nd_ttcp *ttcp, struct nd_agent *agent, const struct nd_ttcp_cfg *cfg);

/* The console command: "ttcp -t [-n N] [-l BYTES] [-p PORT] [-z] [-T MS] HOST" and "ttcp -r [-p
 * PORT]". command and ttcp: the caller's. */
void nd_ttcp_command(struct nd_command *command, struct nd_ttcp *ttcp);

#ifdef __cplusplus
}
#endif
#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/bypass.h - the load `bypass`: UDP around the stack.
 *
 * One frame (Ethernet, IPv4, UDP, payload) is built once and handed to the driver over and over:
 * what controller and driver allow at most, and, beside the same datagrams through the stack, what
 * the stack costs. The addresses come from the stack, ARP included. Every datagram is equal to the
 * others, so a receiver counts them and cannot number them. */
#ifndef ND_BYPASS_H
#define ND_BYPASS_H

#include "nd/agent.h"
#include "nd/console.h"
#include "nd/pace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Payload of a datagram [byte]: as much as one Ethernet frame holds, and at least. */
#define ND_BYPASS_BYTES_MAX 1472u
#define ND_BYPASS_BYTES_MIN 1u

#define ND_BYPASS_COUNT 1024u

/* Ethernet, IPv4 and UDP headers in front of the payload [byte]. */
#define ND_BYPASS_HEADER_BYTES 42u

/* Both ends of the wire, as a frame names them. */
struct nd_bypass_ends {
    uint8_t own_mac[6];
    uint8_t own_ip[4];
    uint8_t next_mac[6]; /* of the other end, or of the router to it */
};

/* The way to the driver; the owner of the stack and the driver supplies it. Called from poll
 * context. */
struct nd_bypass_path {
    void *ctx;
    /* Who sends and who receives what is meant for `to`. ND_OK; ND_AGAIN while the stack asks by
     * ARP: call again later; ND_E_UNREACHABLE. */
    int (*resolve)(void *ctx, const struct nd_addr *to, struct nd_bypass_ends *ends);
    /* Room for a frame of len bytes that stays in place until release(); NULL = there is none. */
    uint8_t *(*reserve)(void *ctx, uint32_t len);
    /* Send that frame. ND_OK; ND_AGAIN when the controller has no room; or an error. */
    int (*send)(void *ctx);
    void (*release)(void *ctx);
};

/* All zero but `to` is 1024 datagrams of 1472 bytes, as fast as they go. */
struct nd_bypass_cfg {
    struct nd_addr to;      /* IPv4; port 0 = discard */
    uint32_t payload_bytes; /* 0 = ND_BYPASS_BYTES_MAX */
    uint64_t rate_bit_s;    /* of the payload; 0 = no limit */
    uint64_t count;         /* datagrams; 0 = ND_BYPASS_COUNT, or no end with duration_ns */
    uint64_t duration_ns;   /* end after so long; 0 = never */
    bool checksum;          /* put a UDP checksum in; else 0, "none" (RFC 768) */
};

/* A test. Owner: the caller; in use until its report has gone out (session.number is 0). */
struct nd_bypass {
    struct nd_session session;
    struct nd_bypass_cfg cfg;
    const struct nd_bypass_path *path; /* set by the owner, once */
    struct nd_pace pace;
    struct nd_flow flow;
    uint64_t begin;  /* [ticks] */
    uint64_t until;  /* end then [ticks] */
    uint64_t asking; /* give ARP up then [ticks] */
    uint64_t sent;   /* datagrams */
    bool ready;      /* the frame is built */
};

/* Begin. ND_OK; ND_E_ARG for a length that cannot be or an address that is not IPv4;
 * ND_E_UNSUPPORTED without a path; ND_E_STATE when *bypass is in use. What goes wrong later, ARP
 * included, is in the report. */
int nd_bypass_start(struct nd_bypass *bypass, struct nd_agent *agent,
                    const struct nd_bypass_cfg *cfg);

/* The console command: "bypass [-l BYTES] [-b BIT_S] [-n N] [-T MS] [-c] [-p PORT] HOST"; -c puts
 * a UDP checksum in. command and bypass: the caller's, bypass with its path. */
void nd_bypass_command(struct nd_command *command, struct nd_bypass *bypass);

#ifdef __cplusplus
}
#endif
#endif

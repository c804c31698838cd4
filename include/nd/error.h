/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/error.h - the one list of results.
 *
 * A call that moves bytes answers with a count above zero or with one of the negative
 * values below; zero bytes is never an answer, because stacks disagree on what it means.
 * A call that moves nothing answers ND_OK or a negative value. */
#ifndef ND_ERROR_H
#define ND_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

enum nd_result {
    ND_OK = 0,
    ND_AGAIN = -1,         /* nothing now; ask again after the port's next step */
    ND_EOF = -2,           /* the peer ended its direction in order (FIN), and all of it was read */
    ND_E_ARG = -3,         /* the caller's mistake: NULL, range, wrong kind */
    ND_E_REFUSED = -4,     /* nobody listens there (RST to a SYN) */
    ND_E_RESET = -5,       /* the peer broke the connection off (RST) */
    ND_E_TIMEOUT = -6,     /* no answer within the limit */
    ND_E_UNREACHABLE = -7, /* no route, no ARP answer, network down */
    ND_E_FULL = -8,        /* every slot of a fixed pool is taken */
    ND_E_MEMORY = -9,      /* the stack's own memory ran out */
    ND_E_STATE = -10,      /* not in this state: not connected, already ended */
    ND_E_UNSUPPORTED = -11, /* this port or build cannot */
    ND_E_IN_USE = -12,      /* the local port number is taken */
    ND_E_PROTOCOL = -13,    /* the peer does not speak the protocol of this test */
    ND_E_SHORT = -14,       /* the peer ended before the agreed amount had passed */
    ND_E_STOPPED = -15,     /* ended by the owner's command */
    ND_E_STACK = -16        /* another error of the stack; its raw code is in the port's cause() */
};

/* The name of a result as reports and JSON print it: "ok", "refused", "reset" ...
 * Returns a static string; "unknown" for a value not listed. Any context. */
const char *nd_error_name(int result);

#ifdef __cplusplus
}
#endif
#endif

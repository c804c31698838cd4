/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/port.h - what a network stack must supply.
 *
 * The contract, the same for every stack and checked by one suite (tests/contract):
 *
 * - Nothing blocks and nothing calls back into an engine. A call does what it can at once.
 * - Calls come from one context, the one that polls the agent.
 * - Four results that never overlap: a count above zero, ND_AGAIN, ND_EOF, another
 *   negative value. After an error or ND_EOF the same call answers the same again.
 * - Connections come from a fixed pool that the port's context owns; a pool that is full
 *   answers ND_E_FULL and harms no connection that exists.
 * - A connection belongs to the engine from connect() or accept() until close(), whatever
 *   the network does meanwhile; a dead one answers its error and keeps its slot.
 * - Small writes leave at once (Nagle's algorithm, RFC 896, is off) unless ND_TX_MORE says
 *   that more follows. */
#ifndef ND_PORT_H
#define ND_PORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nd/addr.h"
#include "nd/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Changed whenever struct nd_port or a promise of its calls changes; nd_agent_init() refuses
 * another value. */
#define ND_PORT_ABI 2u

/* What a port can do: nd_port.can. */
#define ND_PORT_TCP       1u
#define ND_PORT_UDP       2u
#define ND_PORT_TX_STATIC 4u /* ND_TX_STATIC saves a copy; elsewhere it is accepted and ignored */
#define ND_PORT_IPV6      8u
#define ND_PORT_END_EARLY 16u /* end() may say ND_OK before all is acknowledged; see there */

/* What step() answers, or-ed together; 0 = nothing happened. */
#define ND_STEP_AGAIN                                                                              \
    1u /* this step did not get to everything that had arrived: step again soon                    \
        */
#define ND_STEP_ACCEPT                                                                             \
    2u /* a listener has a connection waiting; said in every step while it does */
#define ND_STEP_DATAGRAM                                                                           \
    4u /* a socket may have a datagram waiting; said in every step while one has */

/* How to send: the flags of tx(). */
#define ND_TX_STATIC 1u /* the bytes stay unchanged until the connection is closed */
/* More follows at once: the port may hold back until the next tx(), of which ND_AGAIN is an answer
 * too, or until its next step(); a part of a segment also until what is in flight is acknowledged.
 */
#define ND_TX_MORE 2u

/* A connection, listener or datagram socket; each port defines its own. */
struct nd_conn;

/* What a stack knows of a connection. Unknown numbers are negative, never 0. */
struct nd_conn_info {
    struct nd_addr local;
    struct nd_addr peer;
    int32_t mss_bytes;     /* largest segment payload it sends [byte] */
    int64_t unacked_bytes; /* accepted by tx() and not yet acknowledged by the peer [byte] */
};

/* One stack. Static and constant; linked by name, no registry. ctx is the port's own
 * context object, made by the port's own init call, one per instance. */
struct nd_port {
    uint32_t abi;     /* ND_PORT_ABI */
    uint32_t can;     /* ND_PORT_* */
    const char *name; /* as results print it: "lwip-raw" */

    /* The stack's own version, static: "lwIP 2.1.3". */
    const char *(*version)(void *ctx);

    /* Let the stack work once and send what ND_TX_MORE held back. Returns ND_STEP_*.
     * An engine polled after a step sees all that the step brought. */
    unsigned (*step)(void *ctx);

    /* Listen for TCP connections at `at` (port 0: the stack chooses). *listener is set only on
     * ND_OK. ND_E_IN_USE, ND_E_FULL, ND_E_MEMORY. A listener holds one slot of the pool. */
    int (*listen)(void *ctx, const struct nd_addr *at, struct nd_conn **listener);

    /* Take one waiting connection. ND_OK sets *conn; ND_AGAIN when none waits. ND_E_FULL when one
     * waited and no slot was free: that one is reset, the listener goes on. */
    int (*accept)(struct nd_conn *listener, struct nd_conn **conn);

    /* Begin a TCP connection. ND_OK sets *conn; status() tells when it stands. ND_E_FULL,
     * ND_E_MEMORY, ND_E_UNREACHABLE at once where the stack knows at once. */
    int (*connect)(void *ctx, const struct nd_addr *to, struct nd_conn **conn);

    /* ND_OK once established and also after either end; ND_AGAIN while connecting; or the error
     * that ended the connection (ND_E_REFUSED, ND_E_RESET, ND_E_TIMEOUT ...). */
    int (*status)(struct nd_conn *conn);

    /* Send up to len bytes (len > 0): the count taken, or ND_AGAIN when the stack has no room,
     * ND_E_STATE after end(), or the error that ended the connection. Without ND_TX_STATIC
     * the bytes are the caller's again on return. */
    int32_t (*tx)(struct nd_conn *conn, const void *bytes, uint32_t len, unsigned flags);

    /* Borrow received bytes: *bytes points at the count returned, all contiguous, valid until
     * rx_done(), close() or the next rx() of this connection. ND_AGAIN when nothing is there;
     * ND_EOF; or the error. Asking again without rx_done() shows the same bytes, perhaps more. */
    int32_t (*rx)(struct nd_conn *conn, const void **bytes);

    /* Give back the first len borrowed bytes (len <= what rx() returned): they are consumed, and
     * the peer's window opens by as much, at the latest when it would run short. True when rx() may
     * have another answer than ND_AGAIN at once; false spares that call. */
    bool (*rx_done)(struct nd_conn *conn, uint32_t len);

    /* End our direction in order: FIN behind the last byte. ND_OK when all, FIN included or not as
     * the stack can tell, is acknowledged; ND_AGAIN until then (call again: this measures the
     * tail); or the error. Receiving goes on. With ND_PORT_END_EARLY, and where info() says
     * ND_NOT_SUPPORTED for what is unacknowledged, ND_OK means only that the FIN is queued. */
    int (*end)(struct nd_conn *conn);

    /* Open a datagram socket at `at` (port 0: the stack chooses). It takes one slot of the pool,
     * and rx_done(), close(), info() and cause() serve it too. NULL in a port without ND_PORT_UDP.
     */
    int (*udp_open)(void *ctx, const struct nd_addr *at, struct nd_conn **socket);

    /* Send one datagram of len bytes (len > 0), whole or not at all: len, or ND_AGAIN when the
     * stack has no room (nothing was sent), ND_E_UNREACHABLE, ND_E_ARG beyond what the stack takes.
     */
    int32_t (*udp_tx)(struct nd_conn *socket, const struct nd_addr *to, const void *bytes,
                      uint32_t len, unsigned flags);

    /* Borrow the next received datagram, whole and contiguous, and learn who sent it; rx_done()
     * with its length returns it. Empty datagrams are dropped: 0 is never an answer. ND_AGAIN. */
    int32_t (*udp_rx)(struct nd_conn *socket, struct nd_addr *from, const void **bytes);

    /* Give the slot back, always and at once. A connection that was ended in both directions,
     * or ended by us with all input read, finishes quietly in the stack; any other is reset
     * (RST). Also closes a listener, refusing what waits there. conn is invalid afterwards. */
    void (*close)(struct nd_conn *conn);

    /* Fill *info with what the stack knows of the connection, live or dead. */
    void (*info)(struct nd_conn *conn, struct nd_conn_info *info);

    /* The stack's raw code behind the latest error of this connection; 0 when there was none. */
    int32_t (*cause)(struct nd_conn *conn);
};

#ifdef __cplusplus
}
#endif
#endif

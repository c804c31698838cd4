/* SPDX-License-Identifier: BSD-3-Clause */
/* port.c - every call of a port, with what it is for and where stacks trip.
 *
 * Each refuses with ND_E_UNSUPPORTED until it is written, so a half-finished port is noticed at
 * the first use. nd/port.h is the contract; tests/contract checks it: add a rig for your stack
 * and fill in the calls in the order of the cases. */
#include "nd/memory.h"
#include "template.h"

int nd_template_init(struct nd_template *ctx, struct nd_template_slot *slots, uint32_t slot_count) {
    if (ctx == NULL || slots == NULL || slot_count == 0) {
        return ND_E_ARG;
    }
    for (uint32_t i = 0; i < slot_count; i++) {
        slots[i] = (struct nd_template_slot){.handle = NULL, .error = ND_OK, .cause = 0};
    }
    *ctx = (struct nd_template){.slots = slots, .slot_count = slot_count};
    return ND_OK;
}

static struct nd_template_slot *slot_of(struct nd_conn *conn) {
    return (struct nd_template_slot *)(void *)conn;
}

/* Ask the stack, or build the text once: results print it, and numbers of two versions of a
 * stack do not compare. */
static const char *template_version(void *ctx) {
    (void)ctx;
    return "template, no stack";
}

/* Give the stack its turn: poll the driver, run due timers, then send what ND_TX_MORE held back
 * (a connection that waits for the next write must not wait for a timer). Say ND_STEP_AGAIN when
 * more had arrived than this step got to, and ND_STEP_ACCEPT in every step while some listener has
 * a caller waiting, not only in the first; ND_STEP_DATAGRAM likewise while a datagram waits. Must
 * return soon even under a flood. */
static unsigned template_step(void *ctx) {
    (void)ctx;
    return 0;
}

/* Open a listener. Choose a port number when at->port is 0 and remember it for info(). A stack
 * whose listening socket becomes the connection has to open the next one in accept(). */
static int template_listen(void *ctx, const struct nd_addr *at, struct nd_conn **listener) {
    (void)ctx;
    (void)at;
    (void)listener;
    return ND_E_UNSUPPORTED;
}

/* Hand out the oldest waiting connection. With no free slot, take it from the stack all the same
 * and reset it: a caller left waiting would block the ones behind it. */
static int template_accept(struct nd_conn *listener, struct nd_conn **conn) {
    (void)listener;
    (void)conn;
    return ND_E_UNSUPPORTED;
}

/* Send the SYN and return. A refusal that the stack knows at once is still told by status(), so
 * that engines have one place to look. Turn Nagle's algorithm off here and in accept(). */
static int template_connect(void *ctx, const struct nd_addr *to, struct nd_conn **conn) {
    (void)ctx;
    (void)to;
    (void)conn;
    return ND_E_UNSUPPORTED;
}

/* Tell from the slot alone: the stack may have freed its own object when it reported the error.
 * The first error stays; later ones are consequences. */
static int template_status(struct nd_conn *conn) {
    (void)slot_of(conn);
    return ND_E_UNSUPPORTED;
}

/* Queue up to len bytes. Look at the free room first: some stacks copy, then say "busy", and the
 * repeated call doubles the bytes. A stack that answers 0 means ND_AGAIN. With ND_TX_STATIC the
 * bytes may be referenced instead of copied; without it they must be copied before returning. */
static int32_t template_tx(struct nd_conn *conn, const void *bytes, uint32_t len, unsigned flags) {
    (void)slot_of(conn);
    (void)bytes;
    (void)len;
    (void)flags;
    return ND_E_UNSUPPORTED;
}

/* Lend what arrived, where the stack has it if it can be lent, else from a buffer of the slot.
 * Order of the answers: bytes, then ND_EOF, and the error as soon as it is known. */
static int32_t template_rx(struct nd_conn *conn, const void **bytes) {
    (void)slot_of(conn);
    (void)bytes;
    return ND_E_UNSUPPORTED;
}

/* Consume: free the buffers and open the window. Some stacks tell the peer only once the window
 * grew by a segment; a reader that had stopped must still get going again. When in
 * doubt whether rx() has more, say true. */
static bool template_rx_done(struct nd_conn *conn, uint32_t len) {
    (void)slot_of(conn);
    (void)len;
    return false;
}

/* Queue the FIN on the first call; a stack short of memory may need the call again. Later calls
 * only ask whether everything is acknowledged. Receiving goes on. */
static int template_end(struct nd_conn *conn) {
    (void)slot_of(conn);
    return ND_E_UNSUPPORTED;
}

/* Detach the slot from the stack (callbacks too) before the stack is told, then close in order or
 * abort as the contract says. Serves listeners and datagram sockets as well. */
static void template_close(struct nd_conn *conn) {
    *slot_of(conn) = (struct nd_template_slot){.handle = NULL, .error = ND_OK, .cause = 0};
}

/* What the stack cannot tell is absent with a reason, never 0. Keep the addresses in the slot when
 * the stack forgets them with the connection. */
static void template_info(struct nd_conn *conn, struct nd_conn_info *info) {
    (void)slot_of(conn);
    *info = (struct nd_conn_info){.mss_bytes = ND_NOT_SUPPORTED, .unacked_bytes = ND_NOT_SUPPORTED};
}

/* The stack's own number for the latest error, untranslated. */
static int32_t template_cause(struct nd_conn *conn) {
    return slot_of(conn)->cause;
}

/* Datagrams are left out, as `can` says; a port that has them adds ND_PORT_UDP and udp_open,
 * udp_tx and udp_rx. */
const struct nd_port nd_port_template = {
    .abi = ND_PORT_ABI,
    .can = ND_PORT_TCP,
    .name = "template",
    .version = template_version,
    .step = template_step,
    .listen = template_listen,
    .accept = template_accept,
    .connect = template_connect,
    .status = template_status,
    .tx = template_tx,
    .rx = template_rx,
    .rx_done = template_rx_done,
    .end = template_end,
    .udp_open = NULL,
    .udp_tx = NULL,
    .udp_rx = NULL,
    .close = template_close,
    .info = template_info,
    .cause = template_cause,
};

/* SPDX-License-Identifier: BSD-3-Clause */
/* core/iperf_test.h - what the files of the iperf 2 engine share. */
#ifndef ND__IPERF_TEST_H
#define ND__IPERF_TEST_H

#include "iperf_wire.h"
#include "nd/iperf.h"

/* A receiver of ours waits for so long for a peer that sends [ms], unless its owner says otherwise.
 */
#define ND__IPERF_SILENCE_MS 2500u

/* ---- places and reports: iperf_test.c ------------------------------------------------ */

/* A cleared place, be it that of a test that only answers repeated ends; or NULL when all are taken
 * (counted). */
struct nd_iperf_test *nd__iperf_place(struct nd_iperf *iperf);

/* Would there be one? */
bool nd__iperf_has_place(const struct nd_iperf *iperf);

/* Data begin to move now: start time, intervals, end. duration_ns 0 = no end by time. */
void nd__iperf_begin(struct nd_iperf_test *test, uint64_t duration_ns);

/* The test is to take as long as its header says: no interval ends just before that. */
void nd__iperf_plan(struct nd_iperf_test *test, const struct nd__iperf_header *header);

/* How to send: bytes in all (UINT64_MAX = until the time is up), bytes per write, rate. Within the
 * limits of the owner when the test is a server's. Before begin(). */
void nd__iperf_prepare(struct nd_iperf_test *test, uint64_t amount, uint32_t len, uint64_t bit_s);

/* Report an interval that is over; set session.wake to the end of the present one. */
void nd__iperf_tick(struct nd_iperf_test *test);

/* What the receiver of what we sent says. */
struct nd__iperf_peer {
    struct nd_sequence figures;
    uint64_t ns;
};

/* Report the rest of the interval and the test. peer and message may be NULL. */
void nd__iperf_report(struct nd_iperf_test *test, int result, const struct nd__iperf_peer *peer,
                      int64_t tail_ticks, const char *message);

/* Give the place back, and begin the test back that was to follow. */
void nd__iperf_leave(struct nd_iperf_test *test);

/* What a header asks of a server: time and bytes of what is to be sent. */
struct nd__iperf_order {
    uint64_t amount;
    uint64_t duration_ns;
    uint64_t bit_s;
    uint32_t len;
};
void nd__iperf_read_order(const struct nd__iperf_header *header, bool udp,
                          struct nd__iperf_order *order);

/* Note, and begin if it is to be now, the test back that this header asks for. */
void nd__iperf_test_back(struct nd_iperf_test *test, const struct nd__iperf_header *header);

/* ---- sessions ------------------------------------------------------------------------ */

/* Take over a TCP connection: as server, or as client that is connecting (head[0 .. head_have) to
 * send first). */
void nd__iperf_tcp_serve(struct nd_iperf_test *test, struct nd_conn *conn);
void nd__iperf_tcp_connect(struct nd_iperf_test *test, struct nd_conn *conn, uint64_t duration_ns);

/* UDP: send; through the session's own socket, or the server's when conn is NULL. */
void nd__iperf_udp_send(struct nd_iperf_test *test, struct nd_conn *conn, uint64_t duration_ns);

/* UDP: ask to be sent to, and receive. */
void nd__iperf_udp_ask(struct nd_iperf_test *test, struct nd_conn *conn);

/* UDP server: begin to receive from a peer whose first datagram said this. */
void nd__iperf_udp_receive(struct nd_iperf_test *test, const struct nd__iperf_first *first);

/* UDP receiver: a datagram of this peer. */
void nd__iperf_udp_take(struct nd_iperf_test *test, const uint8_t *bytes, uint32_t len);

/* The socket that this test sends and receives by. */
static inline struct nd_conn *nd__iperf_socket(const struct nd_iperf_test *test) {
    return test->session.conn != NULL ? test->session.conn : test->iperf->socket.conn;
}

/* ---- stamps -------------------------------------------------------------------------- */

void nd__iperf_stamp_start(struct nd_iperf_test *test);
void nd__iperf_stamp_advance(struct nd_iperf_test *test);

#endif

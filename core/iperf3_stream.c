/* SPDX-License-Identifier: BSD-3-Clause */
#include <string.h>

#include "iperf3_test.h"
#include "pattern.h"
#include "stream.h"
#include "udp_guard.h"

/* A stack without room, or without a route, is asked again after this [ns]. */
#define RETRY_NS 1000000u

static const struct nd_port *port_of(const struct nd_iperf3_test *test) {
    return test->session.agent->cfg.port;
}

static void moved_rx(struct nd_iperf3_test *test, struct nd_iperf3_stream *stream, uint32_t n) {
    stream->bytes += n;
    test->moved = test->session.agent->now;
    nd_session_moved(&test->session, &test->flow.rx, n);
}

static void moved_tx(struct nd_iperf3_test *test, struct nd_iperf3_stream *stream, uint32_t n) {
    stream->bytes += n;
    test->moved = test->session.agent->now;
    nd_session_moved(&test->session, &test->flow.tx, n);
}

/* ---- start ------------------------------------------------------------------------- */

static void start_stream(struct nd_iperf3_test *test, struct nd_iperf3_stream *stream) {
    uint32_t hz = test->session.agent->cfg.clock->hz;
    uint32_t bits = test->params.length * 8;
    uint32_t burst = test->params.burst;

    if (burst > INT32_MAX / bits) { /* more than fits in one schedule is no burst any more */
        burst = INT32_MAX / bits;
    }
    nd_pace_start(&stream->pace, test->running, hz, bits, test->params.rate_bit_s, burst);
    nd_sequence_start(&stream->meter, 1, hz);
}

void nd__iperf3_start_streams(struct nd_iperf3_test *test) {
    uint32_t hz = test->session.agent->cfg.clock->hz;

    for (uint32_t i = 0; i < test->stream_used; i++) {
        start_stream(test, &test->memory.streams[i]);
    }
    test->second = 0;
    test->second_from = test->running;
    test->us_part = ((uint64_t)1000000u << 32) / hz;
    for (uint32_t at = 0; test->params.udp && at < test->memory.datagram_bytes;) {
        uint32_t len = nd__stream_min(test->memory.datagram_bytes - at, ND__PATTERN_BYTES);
        memcpy(test->memory.datagram + at, nd__pattern, len);
        at += len;
    }
}

/* ---- TCP --------------------------------------------------------------------------- */

static bool receive_bytes(struct nd_iperf3_test *test, struct nd_iperf3_stream *stream) {
    const struct nd_port *port = port_of(test);
    uint32_t taken = 0;
    int32_t n = ND_AGAIN;

    while (taken < ND_CFG_POLL_BYTES) {
        const void *bytes;
        n = port->rx(stream->conn, &bytes);
        if (n <= 0) {
            break;
        }
        taken += (uint32_t)n;
        if (!port->rx_done(stream->conn, (uint32_t)n)) {
            n = ND_AGAIN;
            break;
        }
    }
    if (taken > 0) {
        moved_rx(test, stream, taken);
    }
    stream->ended = n < 0 && n != ND_AGAIN;
    return n > 0;
}

/* Begin the next write, if it is due and something is left to send. */
static bool begin_block(struct nd_iperf3_test *test, struct nd_iperf3_stream *stream) {
    if (test->budget_bytes == 0 || !nd_pace_due(&stream->pace, test->session.agent->now)) {
        return false;
    }
    stream->block_left = nd__stream_min(test->budget_bytes, test->params.length);
    stream->pattern_at = 0;
    test->budget_bytes -= stream->block_left;
    nd_pace_step(&stream->pace);
    return true;
}

/* Step on by n bytes. No division here. */
static void advance(struct nd_iperf3_stream *stream, uint32_t n) {
    stream->block_left -= n;
    stream->pattern_at += n;
    while (stream->pattern_at >= ND__PATTERN_PERIOD) {
        stream->pattern_at -= ND__PATTERN_PERIOD;
    }
}

/* One write, of all that is left of the block or of the pattern; `sent` went out in this poll
 * before it. The last of a poll says that no more follows. Returns the port's answer. */
static int32_t send_piece(struct nd_iperf3_test *test, struct nd_iperf3_stream *stream,
                          uint32_t sent) {
    uint32_t len = nd__stream_min(stream->block_left, ND__PATTERN_BYTES - stream->pattern_at);
    bool pause = test->budget_bytes == 0 || !nd_pace_due(&stream->pace, test->session.agent->now);
    bool last = sent + len >= ND_CFG_POLL_BYTES || (len == stream->block_left && pause);

    return port_of(test)->tx(stream->conn, nd__pattern + stream->pattern_at, len,
                             last ? ND_TX_STATIC : ND_TX_STATIC | ND_TX_MORE);
}

static bool send_bytes(struct nd_iperf3_test *test, struct nd_iperf3_stream *stream) {
    uint32_t sent = 0;
    int32_t n = ND_AGAIN;

    while (sent < ND_CFG_POLL_BYTES) {
        n = ND_AGAIN;
        if (stream->block_left == 0 && !begin_block(test, stream)) {
            break;
        }
        n = send_piece(test, stream, sent);
        if (n <= 0) {
            break;
        }
        advance(stream, (uint32_t)n);
        sent += (uint32_t)n;
    }
    if (sent > 0) {
        moved_tx(test, stream, sent);
    }
    stream->ended = n < 0 && n != ND_AGAIN;
    return n > 0;
}

/* ---- UDP --------------------------------------------------------------------------- */

static void take_datagram(struct nd_iperf3_test *test, struct nd_iperf3_stream *stream,
                          const uint8_t *bytes, uint32_t len) {
    struct nd__iperf3_stamp stamp;
    bool big = test->params.counters_64bit;
    uint64_t sent_ns;

    if (len < nd__iperf3_stamp_bytes(big)) {
        return;
    }
    nd__iperf3_get_stamp(bytes, &stamp, big);
    if (!big) {
        stamp.id = nd_sequence_extend(&stream->meter, (uint32_t)stamp.id, 32);
    } else if (stamp.id > INT64_MAX) {
        return;
    }
    sent_ns = nd_sequence_stamp(&stream->meter, stamp.s, stamp.us);
    nd_sequence_add(&stream->meter, stamp.id, len, test->session.agent->now, sent_ns);
    moved_rx(test, stream, len);
}

static bool is_hello(uint32_t len) {
    return len == ND__IPERF3_HELLO_BYTES;
}

/* The answer is as long as the question and goes nowhere else. */
static void welcome(struct nd_iperf3_test *test, const struct nd_addr *to) {
    port_of(test)->udp_tx(test->udp, to, nd__iperf3_welcome, ND__IPERF3_HELLO_BYTES, 0);
}

static struct nd_iperf3_stream *find_peer(struct nd_iperf3_test *test, const struct nd_addr *from) {
    for (uint32_t i = 0; i < test->stream_used; i++) {
        struct nd_iperf3_stream *stream = &test->memory.streams[i];
        if (stream->peer.port == from->port && nd_addr_equal(&stream->peer, from)) {
            return stream;
        }
    }
    return NULL;
}

/* Where the datagrams of a stream come in: a server has one socket for all. */
static struct nd_conn *socket_of(const struct nd_iperf3_test *test,
                                 const struct nd_iperf3_stream *stream) {
    return test->server ? test->udp : stream->conn;
}

/* Whose datagram it is: a client's streams have a socket each, and all the same peer. */
static struct nd_iperf3_stream *
owner_of(struct nd_iperf3_test *test, struct nd_iperf3_stream *stream, const struct nd_addr *from) {
    if (stream == NULL) {
        return find_peer(test, from);
    }
    return nd_addr_equal(&stream->peer, from) ? stream : NULL;
}

/* All that waits in this stream's socket, or, when it is NULL, in the one of all; or this poll's
 * share of it. */
static bool receive_datagrams(struct nd_iperf3_test *test, struct nd_iperf3_stream *stream) {
    const struct nd_port *port = port_of(test);
    struct nd_conn *socket = stream == NULL ? test->udp : stream->conn;

    for (uint32_t taken = 0; taken < ND_CFG_POLL_BYTES;) {
        struct nd_addr from;
        const void *bytes;
        int32_t n = port->udp_rx(socket, &from, &bytes);
        if (n <= 0) {
            return false;
        }
        struct nd_iperf3_stream *owner = owner_of(test, stream, &from);
        if (owner != NULL && !is_hello((uint32_t)n)) {
            take_datagram(test, owner, (const uint8_t *)bytes, (uint32_t)n);
        } else if (owner != NULL && test->server) { /* our answer was lost */
            welcome(test, &from);
        }
        taken += (uint32_t)n;
        if (!port->rx_done(socket, (uint32_t)n)) {
            return false;
        }
    }
    return true;
}

static bool same_host(const struct nd_addr *a, const struct nd_addr *b) {
    return a->family == b->family && memcmp(a->ip, b->ip, sizeof a->ip) == 0;
}

int nd__iperf3_take_hellos(struct nd_iperf3_test *test) {
    const struct nd_port *port = port_of(test);
    struct nd_conn_info info;
    struct nd_addr from;
    const void *bytes;
    int32_t n;

    port->info(test->session.conn, &info);
    while ((n = port->udp_rx(test->udp, &from, &bytes)) > 0) {
        bool known = find_peer(test, &from) != NULL;
        if (is_hello((uint32_t)n) && same_host(&from, &info.peer) && nd__udp_guard_allows(&from) &&
            (known || test->stream_used < nd__iperf3_stream_total(&test->params))) {
            if (!known) {
                nd__iperf3_add_stream(test)->peer = from;
            }
            welcome(test, &from);
            test->session.active = test->session.agent->now;
        }
        port->rx_done(test->udp, (uint32_t)n);
    }
    return test->stream_used == nd__iperf3_stream_total(&test->params) ? ND_OK : ND_AGAIN;
}

/* Our monotonic time as seconds and microseconds, by a multiplication. */
static void put_time(struct nd_iperf3_test *test, struct nd__iperf3_stamp *stamp) {
    const struct nd_agent *agent = test->session.agent;

    while (agent->now - test->second_from >= agent->cfg.clock->hz) {
        test->second_from += agent->cfg.clock->hz;
        test->second++;
    }
    stamp->s = test->second;
    stamp->us = (uint32_t)((agent->now - test->second_from) * test->us_part >> 32);
}

/* Send one datagram; a failure spends no number. Returns its length, or the port's answer. */
static int32_t send_datagram(struct nd_iperf3_test *test, struct nd_iperf3_stream *stream,
                             const struct nd__iperf3_stamp *time) {
    uint32_t len = test->params.length;
    struct nd__iperf3_stamp stamp = {.s = time->s, .us = time->us, .id = stream->packets + 1};

    nd__iperf3_put_stamp(test->memory.datagram, &stamp, test->params.counters_64bit);
    int32_t n = port_of(test)->udp_tx(socket_of(test, stream), &stream->peer, test->memory.datagram,
                                      len, 0);
    if (n <= 0) {
        test->tx_failures++;
        test->retry = nd__iperf3_after(test, RETRY_NS);
        return n;
    }
    stream->packets++;
    test->tx_datagrams++;
    test->budget_bytes -= len;
    nd_pace_step(&stream->pace);
    return (int32_t)len;
}

static bool send_datagrams(struct nd_iperf3_test *test, struct nd_iperf3_stream *stream) {
    struct nd__iperf3_stamp time = {0};
    uint32_t sent = 0;
    int32_t n = ND_AGAIN;

    put_time(test, &time);
    while (sent < ND_CFG_POLL_BYTES) {
        n = ND_AGAIN;
        if (test->budget_bytes == 0 || !nd_pace_due(&stream->pace, test->session.agent->now)) {
            break;
        }
        n = send_datagram(test, stream, &time);
        if (n <= 0) {
            break;
        }
        sent += (uint32_t)n;
    }
    if (sent > 0) {
        moved_tx(test, stream, sent);
    }
    return n > 0;
}

/* ---- all streams --------------------------------------------------------------------- */

static bool move_stream(struct nd_iperf3_test *test, struct nd_iperf3_stream *stream, bool send) {
    if (stream->ended || (stream->sends && !send)) {
        return false;
    }
    if (stream->sends) {
        return test->params.udp ? send_datagrams(test, stream) : send_bytes(test, stream);
    }
    if (!test->params.udp) {
        return receive_bytes(test, stream);
    }
    return !test->server && receive_datagrams(test, stream);
}

bool nd__iperf3_move(struct nd_iperf3_test *test, bool send) {
    bool more = false;

    test->retry = UINT64_MAX;
    if (test->server && test->params.udp) {
        more = receive_datagrams(test, NULL);
    }
    for (uint32_t i = 0; i < test->stream_used; i++) {
        more |= move_stream(test, &test->memory.streams[i], send);
    }
    return more;
}

uint64_t nd__iperf3_due(const struct nd_iperf3_test *test) {
    uint64_t due = test->retry;

    for (uint32_t i = 0; i < test->stream_used; i++) {
        const struct nd_iperf3_stream *stream = &test->memory.streams[i];
        bool waits = stream->sends && !stream->ended && stream->block_left == 0;
        if (waits && stream->pace.due > test->session.agent->now && stream->pace.due < due) {
            due = stream->pace.due;
        }
    }
    return due;
}

bool nd__iperf3_sent(const struct nd_iperf3_test *test) {
    bool sent = test->budget_bytes == 0;

    for (uint32_t i = 0; i < test->stream_used; i++) {
        const struct nd_iperf3_stream *stream = &test->memory.streams[i];
        sent = sent && (!stream->sends || stream->ended || stream->block_left == 0);
    }
    return sent;
}

uint64_t nd__iperf3_unacked(const struct nd_iperf3_test *test) {
    struct nd_conn_info info;
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < test->stream_used && !test->params.udp; i++) {
        const struct nd_iperf3_stream *stream = &test->memory.streams[i];
        if (stream->sends) {
            port_of(test)->info(stream->conn, &info);
            bytes += info.unacked_bytes > 0 ? (uint64_t)info.unacked_bytes : 0;
        }
    }
    return bytes;
}

void nd__iperf3_end_streams(struct nd_iperf3_test *test) {
    for (uint32_t i = 0; i < test->stream_used && !test->params.udp; i++) {
        struct nd_iperf3_stream *stream = &test->memory.streams[i];
        if (stream->sends) {
            port_of(test)->end(stream->conn);
            stream->ended = true;
        }
    }
}

void nd__iperf3_close_streams(struct nd_iperf3_test *test) {
    const struct nd_port *port = port_of(test);

    for (uint32_t i = 0; i < test->memory.stream_count; i++) {
        struct nd_iperf3_stream *stream = &test->memory.streams[i];
        if (stream->conn != NULL) {
            if (!test->params.udp) {
                port->end(stream->conn); /* in order, as far as it goes */
            }
            port->close(stream->conn);
            stream->conn = NULL;
        }
    }
    if (test->udp != NULL) {
        port->close(test->udp);
        test->udp = NULL;
    }
}

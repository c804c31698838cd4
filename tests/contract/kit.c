/* SPDX-License-Identifier: BSD-3-Clause */
/* kit.c - turns, pairs of connections, checked streams. */
#include "kit.h"

#include <string.h>

/* The pattern repeats after 251 * 241 bytes: no power of two, no multiple of a segment. */
#define PATTERN_PERIOD (251u * 241u)

static uint8_t pattern[PATTERN_PERIOD + WRITE_BYTES];
static uint8_t scratch[WRITE_BYTES];

static const uint8_t *pattern_at(uint64_t position) {
    if (pattern[1] == 0) {
        for (uint32_t i = 0; i < sizeof pattern; i++) {
            pattern[i] = (uint8_t)(i % 251u + i / 251u % 241u);
        }
    }
    return pattern + position % PATTERN_PERIOD;
}

void turn(void) {
    if (rig->pump != NULL) {
        rig->pump(rig);
    }
    port->step(rig->ctx);
}

void turns(unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        turn();
    }
}

struct nd_conn *open_listener(struct nd_addr *reach) {
    struct nd_conn *listener = NULL;
    assert_int_equal(port->listen(rig->ctx, &rig->at, &listener), ND_OK);
    assert_non_null(listener);
    struct nd_conn_info info;
    port->info(listener, &info);
    *reach = rig->at;
    reach->port = info.local.port;
    assert_int_not_equal(reach->port, 0);
    return listener;
}

struct nd_conn *connect_to(const struct nd_addr *to) {
    struct nd_conn *conn = NULL;
    assert_int_equal(port->connect(rig->ctx, to, &conn), ND_OK);
    assert_non_null(conn);
    return conn;
}

struct nd_conn *accept_from(struct nd_conn *listener) {
    struct nd_conn *conn = NULL;
    int result;
    AWAIT((result = port->accept(listener, &conn)) != ND_AGAIN);
    assert_int_equal(result, ND_OK);
    assert_non_null(conn);
    return conn;
}

struct pair pair_via(struct nd_conn *listener, const struct nd_addr *reach) {
    struct pair pair;
    pair.near = connect_to(reach);
    pair.far = accept_from(listener);
    AWAIT(port->status(pair.near) != ND_AGAIN);
    AWAIT(port->status(pair.far) != ND_AGAIN);
    assert_int_equal(port->status(pair.near), ND_OK);
    assert_int_equal(port->status(pair.far), ND_OK);
    return pair;
}

struct pair pair_open(void) {
    struct nd_addr reach;
    struct nd_conn *listener = open_listener(&reach);
    struct pair pair = pair_via(listener, &reach);
    port->close(listener);
    return pair;
}

void pair_close(struct pair pair) {
    port->close(pair.near);
    port->close(pair.far);
}

int32_t stream_send(struct stream *stream, uint64_t total) {
    uint64_t left = total - stream->sent;
    uint32_t len = left < stream->chunk ? (uint32_t)left : stream->chunk;
    const uint8_t *bytes = pattern_at(stream->sent);
    bool copied = (stream->flags & ND_TX_STATIC) == 0;
    if (copied) {
        memcpy(scratch, bytes, len);
        bytes = scratch;
    }
    int32_t taken = port->tx(stream->from, bytes, len, stream->flags);
    if (copied) {
        memset(scratch, 0xEE, len);
    }
    if (taken > 0) {
        assert_true((uint32_t)taken <= len);
        stream->sent += (uint32_t)taken;
    }
    assert_int_not_equal(taken, 0);
    return taken;
}

int32_t stream_take(struct stream *stream, uint32_t max) {
    const void *bytes = NULL;
    int32_t there = port->rx(stream->to, &bytes);
    assert_int_not_equal(there, 0);
    if (there < 0) {
        return there;
    }
    uint32_t len = (uint32_t)there < max ? (uint32_t)there : max;
    len = len < WRITE_BYTES ? len : WRITE_BYTES;
    assert_true(stream->got + len <= stream->sent);
    assert_memory_equal(bytes, pattern_at(stream->got), len);
    port->rx_done(stream->to, len);
    stream->got += len;
    return (int32_t)len;
}

void stream_drain(struct stream *stream) {
    unsigned idle = 0;
    while (stream->got < stream->sent) {
        int32_t taken = stream_take(stream, UINT32_MAX);
        if (taken > 0) {
            idle = 0;
            continue;
        }
        assert_int_equal(taken, ND_AGAIN);
        assert_true(idle++ < PATIENCE_TURNS);
        turn();
    }
}

uint64_t stream_fill(struct stream *stream) {
    uint64_t before = stream->sent;
    unsigned quiet = 0;
    while (quiet < QUIET_TURNS) {
        int32_t taken = stream_send(stream, UINT64_MAX);
        if (taken > 0) {
            quiet = 0;
            continue;
        }
        assert_int_equal(taken, ND_AGAIN);
        quiet++;
        turn();
    }
    return stream->sent - before;
}

void stream_run(struct stream *stream, uint64_t total) {
    unsigned idle = 0;
    while (stream->got < total) {
        int32_t taken = stream->sent < total ? stream_send(stream, total) : ND_AGAIN;
        int32_t given = stream_take(stream, UINT32_MAX);
        assert_true(taken > 0 || taken == ND_AGAIN);
        assert_true(given > 0 || given == ND_AGAIN);
        idle = taken > 0 || given > 0 ? 0 : idle + 1;
        assert_true(idle < PATIENCE_TURNS);
        if (given < 0) {
            turn();
        }
    }
    assert_int_equal(stream->got, total);
}

void expect_eof(struct nd_conn *conn) {
    const void *bytes;
    int32_t result;
    AWAIT((result = port->rx(conn, &bytes)) != ND_AGAIN);
    assert_int_equal(result, ND_EOF);
    turn();
    assert_int_equal(port->rx(conn, &bytes), ND_EOF);
}

/* Read all there is without looking at it; what rx() said then. */
static int32_t read_away(struct nd_conn *conn) {
    const void *bytes;
    int32_t there;
    while ((there = port->rx(conn, &bytes)) > 0) {
        port->rx_done(conn, (uint32_t)there);
    }
    return there;
}

void expect_reset(struct nd_conn *conn) {
    const void *bytes;
    int32_t result;
    AWAIT((result = read_away(conn)) != ND_AGAIN);
    assert_int_equal(result, ND_E_RESET);
    for (unsigned round = 0; round < 2; round++) {
        assert_int_equal(port->rx(conn, &bytes), ND_E_RESET);
        assert_int_equal(port->status(conn), ND_E_RESET);
        assert_int_equal(port->end(conn), ND_E_RESET);
        assert_int_not_equal(port->cause(conn), 0);
        turn();
    }
}

void expect_all_slots_free(void) {
    struct nd_addr reach;
    struct nd_conn *listener = open_listener(&reach);
    struct nd_conn *conns[64];
    uint32_t count = rig->pool_size - 1;
    for (uint32_t i = 0; i < count; i++) {
        conns[i] = connect_to(&reach);
    }
    struct nd_conn *beyond = NULL;
    assert_int_equal(port->connect(rig->ctx, &reach, &beyond), ND_E_FULL);
    for (uint32_t i = 0; i < count; i++) {
        port->close(conns[i]);
    }
    port->close(listener);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* cases_stream.c - bytes arrive as they were sent, and neither end can overrun the other. */
#include "kit.h"

#include <string.h>

#define MEBIBYTE (1024u * 1024u)

static void the_port_names_itself_and_has_every_call(void **state) {
    (void)state;
    assert_int_equal(port->abi, ND_PORT_ABI);
    assert_true((port->can & ND_PORT_TCP) != 0);
    assert_true(port->name != NULL && strlen(port->name) > 0);
    assert_int_equal(strspn(port->name, "abcdefghijklmnopqrstuvwxyz0123456789-"),
                     strlen(port->name));
    assert_true(port->version(rig->ctx) != NULL && strlen(port->version(rig->ctx)) > 0);
    assert_true(port->step && port->listen && port->accept && port->connect && port->status);
    assert_true(port->tx && port->rx && port->rx_done && port->end);
    assert_true(port->close && port->info && port->cause);
    bool udp = (port->can & ND_PORT_UDP) != 0;
    assert_int_equal(udp, port->udp_open && port->udp_tx && port->udp_rx);
}

static void both_ends_know_both_addresses(void **state) {
    (void)state;
    struct nd_addr reach;
    struct nd_conn *listener = open_listener(&reach);
    struct pair pair = pair_via(listener, &reach);
    struct nd_conn_info near;
    struct nd_conn_info far;
    port->info(pair.near, &near);
    port->info(pair.far, &far);
    assert_int_equal(near.peer.port, reach.port);
    assert_int_equal(far.local.port, reach.port);
    assert_int_equal(near.local.port, far.peer.port);
    assert_int_not_equal(near.local.port, 0);
    assert_int_equal(near.peer.family, reach.family);
    assert_int_equal(far.peer.family, reach.family);
    assert_memory_equal(near.peer.ip, reach.ip, sizeof reach.ip);
    assert_memory_equal(far.local.ip, near.peer.ip, sizeof reach.ip);
    assert_memory_equal(far.peer.ip, near.local.ip, sizeof reach.ip);
    assert_true(near.mss_bytes != 0);
    assert_true(near.unacked_bytes <= 0);
    pair_close(pair);
    port->close(listener);
}

static void a_caller_waiting_is_announced_until_it_is_taken(void **state) {
    (void)state;
    struct nd_addr reach;
    struct nd_conn *listener = open_listener(&reach);
    assert_int_equal(port->step(rig->ctx) & ND_STEP_ACCEPT, 0);
    struct nd_conn *near = connect_to(&reach);
    AWAIT((port->step(rig->ctx) & ND_STEP_ACCEPT) != 0);
    for (unsigned i = 0; i < 10; i++) {
        assert_true((port->step(rig->ctx) & ND_STEP_ACCEPT) != 0);
    }
    struct nd_conn *far = accept_from(listener);
    struct nd_conn *none = NULL;
    assert_int_equal(port->accept(listener, &none), ND_AGAIN);
    assert_null(none);
    assert_int_equal(port->step(rig->ctx) & ND_STEP_ACCEPT, 0);
    port->close(near);
    port->close(far);
    port->close(listener);
}

static void nothing_sent_is_nothing_there(void **state) {
    (void)state;
    struct pair pair = pair_open();
    const void *bytes;
    turns(10);
    assert_int_equal(port->rx(pair.near, &bytes), ND_AGAIN);
    assert_int_equal(port->rx(pair.far, &bytes), ND_AGAIN);
    pair_close(pair);
}

static void a_single_byte_arrives_alone(void **state) {
    (void)state;
    struct pair pair = pair_open();
    struct stream stream = {.from = pair.near, .to = pair.far, .chunk = 1};
    for (uint64_t total = 1; total <= 300; total++) {
        stream_run(&stream, total);
    }
    pair_close(pair);
}

static void send_byte(struct stream *stream) {
    assert_int_equal(stream_send(stream, stream->sent + 1), 1);
}

static void take_byte_soon(struct stream *stream) {
    for (unsigned waited = 0; stream_take(stream, 1) != 1; waited++) {
        assert_true(waited < 20);
        turn();
    }
}

/* Nagle's algorithm would keep the second byte until the peer's delayed acknowledgement of the
 * first, some 40 turns or more. The answers put the peer into the mood to delay. */
static void a_small_write_does_not_wait_for_the_one_before(void **state) {
    (void)state;
    struct pair pair = pair_open();
    struct stream out = {.from = pair.near, .to = pair.far, .chunk = 1};
    struct stream back = {.from = pair.far, .to = pair.near, .chunk = 1};
    for (unsigned round = 0; round < 30; round++) {
        send_byte(&out);
        send_byte(&out);
        take_byte_soon(&out);
        take_byte_soon(&out);
        send_byte(&back);
        take_byte_soon(&back);
    }
    pair_close(pair);
}

static void bytes_held_back_leave_at_the_next_steps(void **state) {
    (void)state;
    struct pair pair = pair_open();
    struct stream stream = {.from = pair.near, .to = pair.far, .chunk = 7, .flags = ND_TX_MORE};
    for (uint64_t total = 7; total <= 70; total += 7) {
        assert_int_equal(stream_send(&stream, total), 7);
        unsigned waited = 0;
        while (stream_take(&stream, 7) != 7) {
            assert_true(waited++ < 50);
            turn();
        }
    }
    pair_close(pair);
}

static void a_long_write_is_taken_in_part(void **state) {
    (void)state;
    struct pair pair = pair_open();
    struct stream stream = {.from = pair.near, .to = pair.far, .chunk = WRITE_BYTES - 1u};
    bool in_part = false;
    int32_t taken;
    for (unsigned again = 0; again < QUIET_TURNS && !in_part; again++) {
        while ((taken = stream_send(&stream, UINT64_MAX)) > 0) {
            in_part = in_part || (uint32_t)taken < stream.chunk;
        }
        assert_int_equal(taken, ND_AGAIN);
        turn();
    }
    assert_true(in_part);
    stream_drain(&stream);
    pair_close(pair);
}

static void a_full_pipe_says_again_and_goes_on_when_drained(void **state) {
    (void)state;
    struct pair pair = pair_open();
    struct stream stream = {.from = pair.near, .to = pair.far, .chunk = 997};
    for (unsigned round = 0; round < 3; round++) {
        assert_true(stream_fill(&stream) > 0);
        assert_int_equal(stream_send(&stream, UINT64_MAX), ND_AGAIN);
        stream_drain(&stream);
    }
    pair_close(pair);
}

static void a_reader_that_stops_and_resumes_gets_every_byte(void **state) {
    (void)state;
    struct pair pair = pair_open();
    struct stream stream = {.from = pair.near, .to = pair.far, .chunk = 4099};
    uint64_t filled = stream_fill(&stream);
    turns(500);
    stream_run(&stream, 2 * filled + MEBIBYTE);
    pair_close(pair);
}

/* The window must open although no single read frees much of it. */
static void a_slow_reader_opens_the_window_in_small_steps(void **state) {
    (void)state;
    struct pair pair = pair_open();
    struct stream stream = {.from = pair.near, .to = pair.far, .chunk = 4099};
    uint64_t total = stream_fill(&stream) + 10000;
    unsigned idle = 0;
    while (stream.got < total) {
        bool moved = stream.sent < total && stream_send(&stream, total) > 0;
        int32_t taken = stream_take(&stream, 113);
        assert_true(taken > 0 || taken == ND_AGAIN);
        moved = moved || taken > 0;
        idle = moved ? 0 : idle + 1;
        assert_true(idle < PATIENCE_TURNS);
        if (taken < 0 || stream.got % 31 == 0) {
            port->step(rig->ctx);
        }
        if (taken < 0) {
            turn();
        }
    }
    pair_close(pair);
}

static void both_directions_run_at_once(void **state) {
    (void)state;
    struct pair pair = pair_open();
    struct stream out = {.from = pair.near, .to = pair.far, .chunk = 1461};
    struct stream back = {.from = pair.far, .to = pair.near, .chunk = 3001};
    const uint64_t total = MEBIBYTE / 2 + 1;
    unsigned idle = 0;
    while (out.got < total || back.got < total) {
        bool moved = out.sent < total && stream_send(&out, total) > 0;
        moved = (back.sent < total && stream_send(&back, total) > 0) || moved;
        moved = stream_take(&out, UINT32_MAX) > 0 || moved;
        moved = stream_take(&back, UINT32_MAX) > 0 || moved;
        idle = moved ? 0 : idle + 1;
        assert_true(idle < PATIENCE_TURNS);
        turn();
    }
    pair_close(pair);
}

static void run_mebibyte(unsigned flags) {
    static const uint32_t chunks[] = {1021, 1459, 1460, 1461, 2921, 8191, 65537};
    struct pair pair = pair_open();
    struct stream stream = {.from = pair.near, .to = pair.far, .flags = flags};
    const uint32_t count = sizeof chunks / sizeof chunks[0];
    for (uint32_t i = 0; i < count; i++) {
        stream.chunk = chunks[i];
        stream_run(&stream, (uint64_t)(i + 1) * MEBIBYTE / count);
    }
    assert_int_equal(stream.got, MEBIBYTE);
    const void *bytes;
    turns(10);
    assert_int_equal(port->rx(pair.far, &bytes), ND_AGAIN);
    pair_close(pair);
}

static void a_mebibyte_arrives_exactly(void **state) {
    (void)state;
    run_mebibyte(0);
}

static void a_mebibyte_arrives_exactly_without_copying(void **state) {
    (void)state;
    run_mebibyte(ND_TX_STATIC);
}

static void a_mebibyte_arrives_exactly_held_back(void **state) {
    (void)state;
    run_mebibyte(ND_TX_MORE);
}

static void a_mebibyte_arrives_exactly_held_back_without_copying(void **state) {
    (void)state;
    run_mebibyte(ND_TX_STATIC | ND_TX_MORE);
}

static void borrowed_bytes_stay_until_given_back(void **state) {
    (void)state;
    struct pair pair = pair_open();
    struct stream stream = {.from = pair.near, .to = pair.far, .chunk = 300};
    assert_int_equal(stream_send(&stream, 300), 300);
    const void *bytes;
    int32_t first;
    AWAIT((first = port->rx(pair.far, &bytes)) != ND_AGAIN);
    assert_true(first > 0 && first <= 300);
    uint8_t seen[300];
    memcpy(seen, bytes, (size_t)first);
    turns(10);
    for (unsigned round = 0; round < 3; round++) {
        int32_t again = port->rx(pair.far, &bytes);
        assert_true(again >= first);
        assert_memory_equal(bytes, seen, (size_t)first);
    }
    while (stream.got < 300) { /* given back in odd pieces, the rest stays */
        AWAIT(stream_take(&stream, 7) != ND_AGAIN);
    }
    assert_int_equal(port->rx(pair.far, &bytes), ND_AGAIN);
    pair_close(pair);
}

int run_stream_cases(void) {
    static const struct CMUnitTest cases[] = {
        CASE(the_port_names_itself_and_has_every_call),
        CASE(both_ends_know_both_addresses),
        CASE(a_caller_waiting_is_announced_until_it_is_taken),
        CASE(nothing_sent_is_nothing_there),
        CASE(a_single_byte_arrives_alone),
        CASE(a_small_write_does_not_wait_for_the_one_before),
        CASE(bytes_held_back_leave_at_the_next_steps),
        CASE(a_long_write_is_taken_in_part),
        CASE(a_full_pipe_says_again_and_goes_on_when_drained),
        CASE(a_reader_that_stops_and_resumes_gets_every_byte),
        CASE(a_slow_reader_opens_the_window_in_small_steps),
        CASE(both_directions_run_at_once),
        CASE(a_mebibyte_arrives_exactly),
        CASE(a_mebibyte_arrives_exactly_without_copying),
        CASE(a_mebibyte_arrives_exactly_held_back),
        CASE(a_mebibyte_arrives_exactly_held_back_without_copying),
        CASE(borrowed_bytes_stay_until_given_back),
    };
    return cmocka_run_group_tests_name("stream", cases, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* cases_pool.c - a fixed number of slots: all usable, none lost, the one beyond harmless. */
#include "kit.h"

#define PAIRS_MAX 32u

/* A listener, as many pairs as fit beside it, and a second listener where a slot is left over:
 * every slot is taken. */
struct crowd {
    struct nd_addr reach;
    struct nd_conn *listener;
    struct nd_conn *spare; /* NULL when the pairs fill the pool */
    struct pair pairs[PAIRS_MAX];
    struct stream streams[PAIRS_MAX];
    uint32_t count;
};

static void crowd_open(struct crowd *crowd) {
    *crowd = (struct crowd){.count = (rig->pool_size - 1) / 2};
    assert_in_range(crowd->count, 2, PAIRS_MAX);
    crowd->listener = open_listener(&crowd->reach);
    for (uint32_t i = 0; i < crowd->count; i++) {
        struct pair pair = pair_via(crowd->listener, &crowd->reach);
        crowd->pairs[i] = pair;
        crowd->streams[i] =
            (struct stream){.from = pair.near, .to = pair.far, .chunk = 500 + 7 * i};
    }
    if ((rig->pool_size - 1) % 2 != 0) {
        struct nd_addr unused;
        crowd->spare = open_listener(&unused);
    }
}

/* Every pair from number `first` on moves this many more bytes, all at once. */
static void crowd_run(struct crowd *crowd, uint32_t first, uint32_t bytes) {
    uint64_t total = crowd->streams[first].sent + bytes;
    unsigned idle = 0;
    bool done = false;
    while (!done) {
        bool moved = false;
        done = true;
        for (uint32_t i = first; i < crowd->count; i++) {
            struct stream *stream = &crowd->streams[i];
            moved = (stream->sent < total && stream_send(stream, total) > 0) || moved;
            moved = (stream->got < total && stream_take(stream, UINT32_MAX) > 0) || moved;
            done = done && stream->got == total;
        }
        idle = moved ? 0 : idle + 1;
        assert_true(idle < PATIENCE_TURNS);
        turn();
    }
}

static void crowd_close(struct crowd *crowd, uint32_t first) {
    for (uint32_t i = first; i < crowd->count; i++) {
        pair_close(crowd->pairs[i]);
    }
    if (crowd->spare != NULL) {
        port->close(crowd->spare);
    }
    port->close(crowd->listener);
    turns(QUIET_TURNS);
    expect_all_slots_free();
}

static void connections_up_to_the_limit_all_carry_their_own_bytes(void **state) {
    (void)state;
    struct crowd crowd;
    crowd_open(&crowd);
    crowd_run(&crowd, 0, 50000);
    crowd_close(&crowd, 0);
}

static void one_beyond_the_pool_is_full_and_harms_nobody(void **state) {
    (void)state;
    struct crowd crowd;
    crowd_open(&crowd);
    crowd_run(&crowd, 0, 5000);
    struct nd_conn *beyond = NULL;
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(port->connect(rig->ctx, &crowd.reach, &beyond), ND_E_FULL);
        assert_int_equal(port->listen(rig->ctx, &rig->at, &beyond), ND_E_FULL);
        assert_null(beyond);
        turns(3);
    }
    crowd_run(&crowd, 0, 5000);
    crowd_close(&crowd, 0);
}

static void a_caller_beyond_the_pool_is_reset_and_the_listener_goes_on(void **state) {
    (void)state;
    struct crowd crowd;
    crowd_open(&crowd);
    port->close(crowd.pairs[0].near);
    expect_reset(crowd.pairs[0].far);
    struct nd_conn *caller = connect_to(&crowd.reach); /* takes the slot that was left */
    struct nd_conn *conn = NULL;
    int result;
    AWAIT((result = port->accept(crowd.listener, &conn)) != ND_AGAIN);
    assert_int_equal(result, ND_E_FULL);
    assert_null(conn);
    expect_reset(caller);
    assert_int_equal(port->accept(crowd.listener, &conn), ND_AGAIN);
    crowd_run(&crowd, 1, 5000);
    port->close(caller);
    port->close(crowd.pairs[0].far);
    crowd.pairs[0] = pair_via(crowd.listener, &crowd.reach);
    crowd.streams[0] = crowd.streams[1];
    crowd.streams[0].from = crowd.pairs[0].near;
    crowd.streams[0].to = crowd.pairs[0].far;
    crowd_run(&crowd, 0, 5000);
    crowd_close(&crowd, 0);
}

static void slots_come_back_after_every_kind_of_close(void **state) {
    (void)state;
    struct nd_addr reach;
    struct nd_conn *listener = open_listener(&reach);
    for (uint32_t round = 0; round < 3 * rig->pool_size; round++) {
        struct pair pair = pair_via(listener, &reach);
        if (round % 3 == 1) {
            assert_true(port->end(pair.near) >= ND_AGAIN);
            expect_eof(pair.far);
        }
        if (round % 3 == 2) {
            assert_true(port->end(pair.far) >= ND_AGAIN);
            assert_true(port->end(pair.near) >= ND_AGAIN);
        }
        pair_close(pair);
    }
    port->close(listener);
    expect_all_slots_free();
}

static void one_orderly_exchange(struct nd_conn *listener, const struct nd_addr *reach) {
    struct pair pair = pair_via(listener, reach);
    struct stream stream = {.from = pair.near, .to = pair.far, .chunk = 333};
    stream_run(&stream, 1000);
    assert_true(port->end(pair.near) >= ND_AGAIN);
    expect_eof(pair.far);
    assert_true(port->end(pair.far) >= ND_AGAIN);
    expect_eof(pair.near);
    pair_close(pair);
}

static void many_connections_in_a_row_leak_nothing(void **state) {
    (void)state;
    struct nd_addr reach;
    struct nd_conn *listener = open_listener(&reach);
    one_orderly_exchange(listener, &reach);
    turns(QUIET_TURNS);
    long before = rig->held == NULL ? 0 : rig->held(rig);
    for (unsigned i = 0; i < 300; i++) {
        one_orderly_exchange(listener, &reach);
    }
    if (rig->held != NULL) {
        AWAIT(rig->held(rig) <= before);
    }
    port->close(listener);
    expect_all_slots_free();
}

static void a_port_number_in_use_is_told(void **state) {
    (void)state;
    struct nd_addr reach;
    struct nd_conn *listener = open_listener(&reach);
    struct nd_conn *second = NULL;
    assert_int_equal(port->listen(rig->ctx, &reach, &second), ND_E_IN_USE);
    assert_null(second);
    struct pair pair = pair_via(listener, &reach);
    pair_close(pair);
    port->close(listener);
    assert_int_equal(port->listen(rig->ctx, &reach, &second), ND_OK); /* free again */
    port->close(second);
    expect_all_slots_free();
}

int run_pool_cases(void) {
    static const struct CMUnitTest cases[] = {
        CASE(connections_up_to_the_limit_all_carry_their_own_bytes),
        CASE(one_beyond_the_pool_is_full_and_harms_nobody),
        CASE(a_caller_beyond_the_pool_is_reset_and_the_listener_goes_on),
        CASE(slots_come_back_after_every_kind_of_close),
        CASE(many_connections_in_a_row_leak_nothing),
        CASE(a_port_number_in_use_is_told),
    };
    return cmocka_run_group_tests_name("pool", cases, NULL, NULL);
}

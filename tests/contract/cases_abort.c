/* SPDX-License-Identifier: BSD-3-Clause */
/* cases_abort.c - refusals, resets, and close() in every state a connection can be in. */
#include "kit.h"

/* An address where nobody listens. */
static struct nd_addr nowhere(void) {
    struct nd_addr reach;
    port->close(open_listener(&reach));
    return reach;
}

/* The listener still takes callers, and no slot was lost. */
static void expect_unharmed(struct nd_conn *listener, const struct nd_addr *reach) {
    struct pair pair = pair_via(listener, reach);
    struct stream stream = {.from = pair.near, .to = pair.far, .chunk = 100};
    stream_run(&stream, 1000);
    pair_close(pair);
    port->close(listener);
    expect_all_slots_free();
}

static void where_nobody_listens_is_refused(void **state) {
    (void)state;
    struct nd_addr reach = nowhere();
    struct nd_conn *conn = connect_to(&reach);
    AWAIT(port->status(conn) != ND_AGAIN);
    const void *bytes;
    for (unsigned round = 0; round < 2; round++) {
        assert_int_equal(port->status(conn), ND_E_REFUSED);
        assert_int_equal(port->rx(conn, &bytes), ND_E_REFUSED);
        assert_int_equal(port->tx(conn, "x", 1, 0), ND_E_REFUSED);
        assert_int_equal(port->end(conn), ND_E_REFUSED);
        assert_int_not_equal(port->cause(conn), 0);
        turn();
    }
    struct nd_conn_info info;
    port->info(conn, &info);
    assert_int_equal(info.peer.port, reach.port);
    port->close(conn);
    expect_all_slots_free();
}

static void a_reset_is_not_an_end(void **state) {
    (void)state;
    struct pair pair = pair_open();
    port->close(pair.near);
    expect_reset(pair.far);
    assert_int_equal(port->tx(pair.far, "x", 1, 0), ND_E_RESET);
    struct nd_conn_info info;
    port->info(pair.far, &info);
    assert_int_not_equal(info.peer.port, 0);
    port->close(pair.far);
    expect_all_slots_free();
}

static void the_called_end_may_break_off_too(void **state) {
    (void)state;
    struct pair pair = pair_open();
    port->close(pair.far);
    expect_reset(pair.near);
    port->close(pair.near);
    expect_all_slots_free();
}

/* A caller that gives up so many turns after connect(): if it was accepted at all, it was reset. */
static void give_up_after(unsigned count) {
    struct nd_addr reach;
    struct nd_conn *listener = open_listener(&reach);
    struct nd_conn *caller = connect_to(&reach);
    turns(count);
    port->close(caller);
    turns(QUIET_TURNS);
    struct nd_conn *conn = NULL;
    int result = port->accept(listener, &conn);
    if (result == ND_OK) {
        expect_reset(conn);
        port->close(conn);
    } else {
        assert_int_equal(result, ND_AGAIN);
    }
    expect_unharmed(listener, &reach);
}

static void a_caller_may_give_up_at_once(void **state) {
    (void)state;
    give_up_after(0);
}

static void a_caller_may_give_up_while_connecting(void **state) {
    (void)state;
    give_up_after(1);
    give_up_after(2);
}

static void a_caller_may_give_up_before_it_is_accepted(void **state) {
    (void)state;
    give_up_after(QUIET_TURNS);
}

static void a_caller_may_give_up_before_it_is_refused(void **state) {
    (void)state;
    struct nd_addr reach = nowhere();
    port->close(connect_to(&reach));
    turns(QUIET_TURNS);
    expect_all_slots_free();
}

static void breaking_off_with_unsent_bytes_resets(void **state) {
    (void)state;
    struct nd_addr reach;
    struct nd_conn *listener = open_listener(&reach);
    struct pair pair = pair_via(listener, &reach);
    struct stream stream = {.from = pair.near, .to = pair.far, .chunk = 4096};
    stream_fill(&stream);
    port->close(pair.near);
    expect_reset(pair.far);
    port->close(pair.far);
    expect_unharmed(listener, &reach);
}

/* The bytes were sent with ND_TX_STATIC: no stack may look at them after close(). */
static void breaking_off_forgets_bytes_that_were_not_copied(void **state) {
    (void)state;
    struct pair pair = pair_open();
    struct stream stream = {
        .from = pair.near, .to = pair.far, .chunk = 4096, .flags = ND_TX_STATIC};
    stream_fill(&stream);
    port->close(pair.near);
    expect_reset(pair.far);
    port->close(pair.far);
    expect_all_slots_free();
}

static void breaking_off_with_unread_bytes_resets(void **state) {
    (void)state;
    struct nd_addr reach;
    struct nd_conn *listener = open_listener(&reach);
    struct pair pair = pair_via(listener, &reach);
    struct stream stream = {.from = pair.near, .to = pair.far, .chunk = 100};
    assert_int_equal(stream_send(&stream, 100), 100);
    const void *bytes;
    AWAIT(port->rx(pair.far, &bytes) != ND_AGAIN);
    port->close(pair.far);
    expect_reset(pair.near);
    port->close(pair.near);
    expect_unharmed(listener, &reach);
}

static void a_reader_that_is_broken_off_releases_the_writer(void **state) {
    (void)state;
    struct pair pair = pair_open();
    struct stream stream = {.from = pair.near, .to = pair.far, .chunk = 4096};
    stream_fill(&stream);
    port->close(pair.far);
    expect_reset(pair.near);
    port->close(pair.near);
    expect_all_slots_free();
}

static void breaking_off_after_the_end_with_unread_bytes_resets(void **state) {
    (void)state;
    struct pair pair = pair_open();
    assert_true(port->end(pair.near) >= ND_AGAIN);
    struct stream back = {.from = pair.far, .to = pair.near, .chunk = 100};
    assert_int_equal(stream_send(&back, 100), 100);
    const void *bytes;
    AWAIT(port->rx(pair.near, &bytes) != ND_AGAIN);
    port->close(pair.near);
    AWAIT(port->status(pair.far) != ND_OK);
    assert_int_equal(port->status(pair.far), ND_E_RESET);
    port->close(pair.far);
    expect_all_slots_free();
}

static void breaking_off_after_the_peers_end_resets(void **state) {
    (void)state;
    struct pair pair = pair_open();
    assert_true(port->end(pair.near) >= ND_AGAIN);
    expect_eof(pair.far);
    port->close(pair.far);
    expect_reset(pair.near);
    port->close(pair.near);
    expect_all_slots_free();
}

static void closing_a_listener_turns_away_who_waits(void **state) {
    (void)state;
    struct nd_addr reach;
    struct nd_conn *listener = open_listener(&reach);
    struct nd_conn *callers[3];
    for (unsigned i = 0; i < 3; i++) {
        callers[i] = connect_to(&reach);
    }
    turns(QUIET_TURNS);
    port->close(listener);
    for (unsigned i = 0; i < 3; i++) {
        int result;
        AWAIT((result = port->status(callers[i])) < ND_AGAIN);
        assert_true(result == ND_E_RESET || result == ND_E_REFUSED);
        port->close(callers[i]);
    }
    expect_all_slots_free();
}

static void closing_a_listener_leaves_its_connections_alone(void **state) {
    (void)state;
    struct pair pair = pair_open();
    turns(QUIET_TURNS);
    struct stream stream = {.from = pair.far, .to = pair.near, .chunk = 100};
    stream_run(&stream, 1000);
    pair_close(pair);
}

int run_abort_cases(void) {
    static const struct CMUnitTest cases[] = {
        CASE(where_nobody_listens_is_refused),
        CASE(a_reset_is_not_an_end),
        CASE(the_called_end_may_break_off_too),
        CASE(a_caller_may_give_up_at_once),
        CASE(a_caller_may_give_up_while_connecting),
        CASE(a_caller_may_give_up_before_it_is_accepted),
        CASE(a_caller_may_give_up_before_it_is_refused),
        CASE(breaking_off_with_unsent_bytes_resets),
        CASE(breaking_off_forgets_bytes_that_were_not_copied),
        CASE(breaking_off_with_unread_bytes_resets),
        CASE(a_reader_that_is_broken_off_releases_the_writer),
        CASE(breaking_off_after_the_end_with_unread_bytes_resets),
        CASE(breaking_off_after_the_peers_end_resets),
        CASE(closing_a_listener_turns_away_who_waits),
        CASE(closing_a_listener_leaves_its_connections_alone),
    };
    return cmocka_run_group_tests_name("abort", cases, NULL, NULL);
}

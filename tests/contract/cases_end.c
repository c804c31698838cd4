/* SPDX-License-Identifier: BSD-3-Clause */
/* cases_end.c - the orderly end: FIN behind the last byte, one direction at a time. */
#include "kit.h"

#include "nd/memory.h"

/* Ask end() until it has an answer. */
static int end_of(struct nd_conn *conn) {
    int result;
    AWAIT((result = port->end(conn)) != ND_AGAIN);
    return result;
}

static void an_orderly_end_is_eof_after_the_last_byte(void **state) {
    (void)state;
    struct pair pair = pair_open();
    struct stream stream = {.from = pair.near, .to = pair.far, .chunk = 777};
    while (stream.sent < 3001) {
        AWAIT(stream_send(&stream, 3001) != ND_AGAIN);
        stream_drain(&stream);
    }
    AWAIT(stream_send(&stream, 3500) != ND_AGAIN);
    assert_true(port->end(pair.near) >= ND_AGAIN);
    stream_drain(&stream);
    expect_eof(pair.far);
    assert_int_equal(port->status(pair.far), ND_OK);
    assert_int_equal(port->status(pair.near), ND_OK);
    pair_close(pair);
}

static void an_end_is_complete_when_all_is_acknowledged(void **state) {
    (void)state;
    struct pair pair = pair_open();
    struct stream stream = {.from = pair.near, .to = pair.far, .chunk = 4096};
    stream_fill(&stream);
    struct nd_conn_info info;
    port->info(pair.near, &info);
    assert_int_not_equal(info.unacked_bytes, 0);
    int ended = port->end(pair.near);
    bool early = (port->can & ND_PORT_END_EARLY) != 0 && info.unacked_bytes == ND_NOT_SUPPORTED;
    assert_int_equal(ended, early ? ND_OK : ND_AGAIN);
    stream_drain(&stream);
    assert_int_equal(end_of(pair.near), ND_OK);
    port->info(pair.near, &info);
    assert_true(info.unacked_bytes <= 0);
    expect_eof(pair.far);
    assert_int_equal(port->end(pair.near), ND_OK);
    pair_close(pair);
}

static void an_end_flushes_what_was_held_back(void **state) {
    (void)state;
    struct pair pair = pair_open();
    struct stream stream = {.from = pair.near, .to = pair.far, .chunk = 10, .flags = ND_TX_MORE};
    assert_int_equal(stream_send(&stream, 10), 10);
    assert_true(port->end(pair.near) >= ND_AGAIN);
    stream_drain(&stream);
    expect_eof(pair.far);
    pair_close(pair);
}

static void the_other_direction_goes_on_after_the_end(void **state) {
    (void)state;
    struct pair pair = pair_open();
    assert_true(port->end(pair.near) >= ND_AGAIN);
    expect_eof(pair.far);
    struct stream back = {.from = pair.far, .to = pair.near, .chunk = 1777};
    stream_run(&back, 200000);
    assert_true(port->end(pair.far) >= ND_AGAIN);
    expect_eof(pair.near);
    assert_int_equal(end_of(pair.near), ND_OK);
    assert_int_equal(end_of(pair.far), ND_OK);
    pair_close(pair);
}

static void sending_after_the_end_is_an_error_of_state(void **state) {
    (void)state;
    struct pair pair = pair_open();
    assert_true(port->end(pair.near) >= ND_AGAIN);
    assert_int_equal(port->tx(pair.near, "x", 1, 0), ND_E_STATE);
    assert_int_equal(end_of(pair.near), ND_OK);
    assert_int_equal(port->tx(pair.near, "x", 1, 0), ND_E_STATE);
    expect_eof(pair.far);
    pair_close(pair);
}

static void both_may_end_at_the_same_time(void **state) {
    (void)state;
    struct pair pair = pair_open();
    assert_true(port->end(pair.near) >= ND_AGAIN);
    assert_true(port->end(pair.far) >= ND_AGAIN);
    expect_eof(pair.near);
    expect_eof(pair.far);
    assert_int_equal(end_of(pair.near), ND_OK);
    assert_int_equal(end_of(pair.far), ND_OK);
    assert_int_equal(port->status(pair.near), ND_OK);
    pair_close(pair);
    expect_all_slots_free();
}

static void closing_after_the_end_loses_nothing(void **state) {
    (void)state;
    struct pair pair = pair_open();
    struct stream stream = {.from = pair.near, .to = pair.far, .chunk = 1500};
    stream_fill(&stream);
    assert_true(port->end(pair.near) >= ND_AGAIN);
    port->close(pair.near);
    stream_drain(&stream);
    expect_eof(pair.far);
    assert_int_equal(port->status(pair.far), ND_OK);
    port->close(pair.far);
    expect_all_slots_free();
}

static void closing_after_both_ends_is_quiet(void **state) {
    (void)state;
    struct pair pair = pair_open();
    assert_true(port->end(pair.near) >= ND_AGAIN);
    expect_eof(pair.far);
    assert_true(port->end(pair.far) >= ND_AGAIN);
    expect_eof(pair.near);
    port->close(pair.far);
    turns(QUIET_TURNS);
    assert_int_equal(port->status(pair.near), ND_OK);
    expect_eof(pair.near);
    port->close(pair.near);
    expect_all_slots_free();
}

int run_end_cases(void) {
    static const struct CMUnitTest cases[] = {
        CASE(an_orderly_end_is_eof_after_the_last_byte),
        CASE(an_end_is_complete_when_all_is_acknowledged),
        CASE(an_end_flushes_what_was_held_back),
        CASE(the_other_direction_goes_on_after_the_end),
        CASE(sending_after_the_end_is_an_error_of_state),
        CASE(both_may_end_at_the_same_time),
        CASE(closing_after_the_end_loses_nothing),
        CASE(closing_after_both_ends_is_quiet),
    };
    return cmocka_run_group_tests_name("end", cases, NULL, NULL);
}

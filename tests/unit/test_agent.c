/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_kit.h"

#include <string.h>

#include "nd/discard.h"

#define PLACES 2

static const struct nd_port *const port = &nd_port_loop;
static struct nd_stream_server server;
static struct nd_stream_conn places[PLACES];

static struct nd_conn *dial_discard(struct kit *kit) {
    struct nd_addr at = kit_addr(9);

    assert_int_equal(nd_discard_serve(&server, &kit->agent, &at, places, PLACES), ND_OK);
    return kit_dial(kit, 9);
}

static void what_is_missing_is_refused(void **state) {
    struct kit *kit = *state;
    struct nd_agent agent;
    struct nd_port stale = nd_port_loop;
    struct nd_agent_cfg good = kit->agent.cfg;
    struct nd_agent_cfg cfg = good;

    assert_int_equal(nd_agent_init(&agent, &good), ND_OK);
    cfg.port = NULL;
    assert_int_equal(nd_agent_init(&agent, &cfg), ND_E_ARG);
    cfg = good;
    cfg.clock = NULL;
    assert_int_equal(nd_agent_init(&agent, &cfg), ND_E_ARG);
    cfg = good;
    stale.abi = ND_PORT_ABI + 1;
    cfg.port = &stale;
    assert_int_equal(nd_agent_init(&agent, &cfg), ND_E_ARG);
    assert_int_equal(nd_agent_init(NULL, &good), ND_E_ARG);
}

static void a_planted_stall_of_ten_milliseconds_reads_ten(void **state) {
    struct kit *kit = *state;

    struct nd_conn *peer = dial_discard(kit);
    nd_agent_reset_metrics(&kit->agent);
    kit_run(kit);
    kit->ticks += 10000 - kit->ticks_per_poll;
    kit_run(kit);
    assert_int_equal(kit->agent.poll_gap.max, 10000);
    port->close(peer);
}

static void a_long_sleep_is_no_late_poll(void **state) {
    struct kit *kit = *state;

    struct nd_conn *peer = dial_discard(kit);
    nd_agent_reset_metrics(&kit->agent);
    kit_run(kit);
    kit->ticks += 500000;
    kit->idle += 500000;
    kit_run(kit);
    assert_int_equal(kit->agent.poll_gap.max, kit->ticks_per_poll);
    port->close(peer);
}

static void time_goes_on_across_the_wrap_of_the_clock(void **state) {
    struct kit *kit = *state;

    struct nd_conn *peer = dial_discard(kit);
    for (unsigned i = 0; i < 6; i++) {
        uint64_t before = kit->agent.now;
        kit->ticks += 0x80000000u;
        kit->idle += 0x80000000u;
        assert_int_equal(port->tx(peer, "x", 1, 0), 1);
        nd_agent_poll(&kit->agent);
        assert_int_equal(kit->agent.now - before, 0x80000000u);
        kit_run(kit);
    }
    port->close(peer);
    kit_run(kit);
    const struct nd_span_bytes *rx = &kit_last(kit)->flow.rx;
    assert_true(nd_span_elapsed(rx) >= 5ull * 0x80000000u);
    assert_true(nd_span_busy(rx) < 1000);
}

static void bytes_and_progress_are_always_counted(void **state) {
    struct kit *kit = *state;

    struct nd_conn *peer = dial_discard(kit);
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(port->tx(peer, "0123456789", 10, 0), 10);
        kit_run(kit);
    }
    assert_int_equal(kit->agent.rx_bytes, 0);
    port->end(peer);
    kit_run(kit);
    assert_int_equal(kit->agent.rx_bytes, 50);
    assert_int_equal(nd_gaps_count(&kit->agent.progress_gap), 5);
    port->close(peer);
}

static void the_first_allocation_failure_is_stamped_once(void **state) {
    struct kit *kit = *state;

    nd_agent_poll(&kit->agent);
    nd_agent_check_memory(&kit->agent);
    assert_null(kit->agent.first_failure_pool);
    kit->failures = 3;
    nd_agent_check_memory(&kit->agent);
    uint64_t when = kit->agent.now;
    kit->ticks += 1000;
    kit->failures = 4;
    nd_agent_poll(&kit->agent);
    nd_agent_check_memory(&kit->agent);
    assert_string_equal(kit->agent.first_failure_pool, "heap");
    assert_int_equal(kit->agent.first_failure, when);
    nd_agent_reset_metrics(&kit->agent);
    nd_agent_check_memory(&kit->agent);
    assert_int_equal(kit->agent.first_failure, when);
}

static void a_pool_that_is_full_turns_a_caller_away_and_counts_it(void **state) {
    struct kit *kit = *state;
    struct nd_conn *held[KIT_SLOTS];
    unsigned count = 0;
    struct nd_addr to = kit_addr(9);

    struct nd_conn *peer = dial_discard(kit);
    while (port->connect(&kit->loop, &to, &held[count]) == ND_OK) {
        count++;
    }
    kit_run(kit);
    assert_true(count > 0);
    assert_int_equal(server.service.taken, 1);
    assert_int_equal(server.service.turned_away, ND_LOOP_BACKLOG);
    assert_int_equal(port->tx(peer, "x", 1, 0), 1);
    kit_run(kit);
    assert_int_equal(places[0].flow.rx.bytes, 1);
    while (count > 0) {
        port->close(held[--count]);
    }
    port->close(peer);
}

static void the_owner_may_sleep_until_the_first_session_wants_to_wake(void **state) {
    struct kit *kit = *state;

    assert_int_equal(nd_agent_sleep(&kit->agent), UINT64_MAX);
    struct nd_conn *peer = dial_discard(kit);
    struct nd_conn *other = kit_dial(kit, 9);
    uint64_t limit = nd_agent_sleep(&kit->agent);
    assert_in_range(limit, 1, 31 * KIT_HZ);
    kit->ticks_per_poll = 0;
    places[0].session.wake = kit->agent.now + 700;
    places[1].session.wake = kit->agent.now + 300;
    kit_run(kit);
    assert_int_equal(nd_agent_sleep(&kit->agent), 300);
    places[1].session.wake = kit->agent.now - 1;
    kit_run(kit);
    assert_int_equal(nd_agent_sleep(&kit->agent), 0);
    port->close(peer);
    port->close(other);
}

static void closing_ends_every_test_and_every_listener(void **state) {
    struct kit *kit = *state;

    struct nd_conn *peer = dial_discard(kit);
    nd_agent_close(&kit->agent);
    assert_int_equal(kit_last(kit)->result, ND_E_STOPPED);
    port->close(peer);
    assert_int_equal(kit_used(kit), 0);
}

/* Three sessions, each of which counts its polls; one ends the others at its turn. */
static struct nd_session trio[3];
static unsigned polls[3];
static unsigned killer;

static bool poll_trio(struct nd_session *session) {
    unsigned own = (unsigned)(session - trio);

    polls[own]++;
    for (unsigned i = 0; own == killer && i < 3; i++) {
        if (i != own && trio[i].number != 0) {
            nd_session_leave(&trio[i]);
        }
    }
    return false;
}

static void stop_trio(struct nd_session *session, int why) {
    (void)why;
    nd_session_leave(session);
}

static const struct nd_session_class trio_kind = {
    .engine = "trio", .poll = poll_trio, .stop = stop_trio};

/* Sessions are polled from the youngest to the oldest. */
static void a_session_may_end_others_while_it_is_polled(void **state) {
    struct kit *kit = *state;

    for (killer = 0; killer < 3; killer++) {
        memset(polls, 0, sizeof polls);
        for (unsigned i = 0; i < 3; i++) {
            nd_session_join(&trio[i], &trio_kind, &kit->agent, NULL);
        }
        nd_agent_poll(&kit->agent);
        for (unsigned i = 0; i < 3; i++) {
            assert_int_equal(polls[i], i >= killer);
            assert_int_equal(trio[i].number != 0, i == killer);
        }
        nd_session_leave(&trio[killer]);
        assert_null(kit->agent.sessions);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KIT_TEST(what_is_missing_is_refused),
        KIT_TEST(a_planted_stall_of_ten_milliseconds_reads_ten),
        KIT_TEST(a_long_sleep_is_no_late_poll),
        KIT_TEST(time_goes_on_across_the_wrap_of_the_clock),
        KIT_TEST(bytes_and_progress_are_always_counted),
        KIT_TEST(the_first_allocation_failure_is_stamped_once),
        KIT_TEST(a_pool_that_is_full_turns_a_caller_away_and_counts_it),
        KIT_TEST(the_owner_may_sleep_until_the_first_session_wants_to_wake),
        KIT_TEST(a_session_may_end_others_while_it_is_polled),
        KIT_TEST(closing_ends_every_test_and_every_listener),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

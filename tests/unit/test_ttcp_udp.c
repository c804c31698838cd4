/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_kit.h"

#include <string.h>

#include "nd/ttcp.h"

static const struct nd_port *const port = &nd_port_loop;

static struct nd_ttcp receiver;
static struct nd_ttcp sender;

static int setup(void **state) {
    memset(&receiver, 0, sizeof receiver);
    memset(&sender, 0, sizeof sender);
    return kit_setup(state);
}

#define TTCP_TEST(test) cmocka_unit_test_setup_teardown(test, setup, kit_teardown)

static void receive(struct kit *kit, bool again) {
    struct nd_ttcp_cfg cfg = {.udp = true, .again = again, .addr = kit_addr(5001)};

    assert_int_equal(nd_ttcp_start(&receiver, &kit->agent, &cfg), ND_OK);
}

static struct nd_conn *open_peer(struct kit *kit, uint16_t at) {
    struct nd_addr local = kit_addr(at);
    struct nd_conn *peer;

    assert_int_equal(port->udp_open(&kit->loop, &local, &peer), ND_OK);
    return peer;
}

static void say(struct kit *kit, struct nd_conn *peer, uint32_t len) {
    static const uint8_t bytes[1472] = {0x20, 0x21, 0x22, 0x23};
    struct nd_addr to = kit_addr(5001);

    assert_int_equal(port->udp_tx(peer, &to, bytes, len, 0), len);
    kit_run_for(kit, 1000);
}

static void a_transmission_has_marks_before_and_behind_its_datagrams(void **state) {
    struct kit *kit = *state;
    struct nd_conn *peer = open_peer(kit, 5001);
    struct nd_ttcp_cfg cfg = {
        .udp = true, .transmit = true, .addr = kit_addr(5001), .nbuf = 3, .buflen = 500};
    unsigned sizes[16];
    unsigned count = 0;
    struct nd_addr from;
    const void *bytes;
    int32_t n;

    assert_int_equal(nd_ttcp_start(&sender, &kit->agent, &cfg), ND_OK);
    for (unsigned i = 0; i < 2000; i++) {
        /* The loop keeps two datagrams: take what is there after every poll. */
        kit_run_for(kit, 10);
        while ((n = port->udp_rx(peer, &from, &bytes)) > 0) {
            assert_int_equal(((const uint8_t *)bytes)[0], 0x20);
            assert_int_equal(((const uint8_t *)bytes)[3], 0x23);
            assert_true(count < 16);
            sizes[count++] = (unsigned)n;
            port->rx_done(peer, (uint32_t)n);
        }
    }
    assert_int_equal(sizes[0], 4);
    assert_true(count >= 1 + 2 + 5); /* one of three may not have fitted */
    for (unsigned i = 1; i <= 5; i++) {
        assert_int_equal(sizes[count - i], 4);
    }
    assert_int_equal(kit_last(kit)->result, ND_OK);
    assert_int_equal(kit_last(kit)->flow.tx.bytes, 1500);
    assert_int_equal(kit_last(kit)->tx_datagrams, 3);
    port->close(peer);
    assert_int_equal(kit_used(kit), 0);
}

/* Ten datagrams have nine gaps of 2 ms, whatever the time between two polls is. */
static void a_gap_spaces_the_datagrams(void **state) {
    struct kit *kit = *state;
    struct nd_ttcp_cfg cfg = {.udp = true,
                              .transmit = true,
                              .addr = kit_addr(5001),
                              .nbuf = 10,
                              .buflen = 500,
                              .gap_ns = 2000000};
    const struct nd_flow *flow;

    receive(kit, false);
    assert_int_equal(nd_ttcp_start(&sender, &kit->agent, &cfg), ND_OK);
    kit_run_for(kit, 100000);
    assert_int_equal(receiver.datagrams, 10);
    flow = &kit_last(kit)->flow;
    assert_int_equal(flow->tx.bytes, 5000);
    assert_in_range(nd_agent_ns(&kit->agent, flow->tx.last - flow->tx.first), 17990000, 18010000);
}

static void a_receiver_counts_from_mark_to_mark(void **state) {
    struct kit *kit = *state;
    struct nd_conn *peer = open_peer(kit, 6000);

    receive(kit, false);
    say(kit, peer, 4);
    for (unsigned i = 0; i < 10; i++) {
        say(kit, peer, 5 + 100 * i);
    }
    for (unsigned i = 0; i < 5; i++) {
        say(kit, peer, 4);
    }
    assert_int_equal(kit->report_count, 1);
    assert_int_equal(kit_last(kit)->result, ND_OK);
    assert_int_equal(kit_last(kit)->flow.rx.bytes, 50 + 4500);
    assert_int_equal(kit_last(kit)->rx_datagrams, 10);
    kit_run_for(kit, 600000);
    port->close(peer);
    assert_int_equal(kit_used(kit), 0);
}

static void four_of_five_end_marks_may_be_lost(void **state) {
    struct kit *kit = *state;
    struct nd_conn *peer = open_peer(kit, 6000);

    receive(kit, false);
    say(kit, peer, 100); /* and the first mark too */
    say(kit, peer, 4);
    assert_int_equal(kit_last(kit)->result, ND_OK);
    assert_int_equal(kit_last(kit)->flow.rx.bytes, 100);
    port->close(peer);
}

static void with_all_ends_lost_silence_ends_the_test_at_the_last_datagram(void **state) {
    struct kit *kit = *state;
    struct nd_conn *peer = open_peer(kit, 6000);

    receive(kit, false);
    say(kit, peer, 4);
    for (unsigned i = 0; i < 10; i++) {
        say(kit, peer, 1000);
    }
    kit_run_for(kit, 2400000);
    assert_int_equal(kit->report_count, 0);
    kit_run_for(kit, 200000);
    assert_int_equal(kit_last(kit)->result, ND_E_TIMEOUT);
    assert_int_equal(kit_last(kit)->end, kit_last(kit)->flow.rx.last);
    assert_in_range(kit_last(kit)->end - kit_last(kit)->begin, 9000, 11000);
    port->close(peer);
}

static void strangers_do_not_disturb_a_test(void **state) {
    struct kit *kit = *state;
    struct nd_conn *peer = open_peer(kit, 6000);
    struct nd_conn *stranger = open_peer(kit, 6001);

    receive(kit, false);
    say(kit, peer, 4);
    say(kit, stranger, 1000);
    say(kit, stranger, 4);
    say(kit, peer, 300);
    say(kit, peer, 4);
    assert_int_equal(kit_last(kit)->flow.rx.bytes, 300);
    assert_int_equal(kit_last(kit)->peer.port, 6000);
    port->close(peer);
    port->close(stranger);
}

static void a_receiver_that_serves_again_waits_for_the_next_sender(void **state) {
    struct kit *kit = *state;
    struct nd_conn *peer = open_peer(kit, 6000);

    receive(kit, true);
    for (unsigned i = 1; i <= 3; i++) {
        say(kit, peer, 4);
        say(kit, peer, 100 * i);
        say(kit, peer, 4);
        say(kit, peer, 4);
        assert_int_equal(kit->report_count, i);
        assert_int_equal(kit_last(kit)->flow.rx.bytes, 100 * i);
        kit_run_for(kit, 600000);
    }
    port->close(peer);
    assert_int_equal(kit_used(kit), 1);
    nd_agent_close(&kit->agent);
    assert_int_equal(kit_used(kit), 0);
}

static void the_command_takes_u(void **state) {
    struct kit *kit = *state;
    static struct nd_command command;

    nd_ttcp_command(&command, &receiver);
    nd_console_add(&kit->console, &command);
    assert_non_null(strstr(kit_type(kit, "ttcp -r -u -p 5001\n"), "ttcp listen port:5001"));
    nd_ttcp_command(&command, &sender);
    assert_non_null(strstr(kit_type(kit, "ttcp -t -u -l 4 10.0.0.1\n"), "5 to 1520"));
    assert_non_null(strstr(kit_type(kit, "ttcp -t -u -l 1521 10.0.0.1\n"), "5 to 1520"));
    assert_non_null(strstr(kit_type(kit, "ttcp -t -u -n 1 -l 5 -p 5001 10.0.0.1\n"), "connect"));
    kit_run_for(kit, 100000);
    assert_int_equal(kit->report_count, 2);
    assert_int_equal(kit->reports[0].report.flow.rx.bytes, 5);
    assert_int_equal(kit->reports[1].report.flow.tx.bytes, 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TTCP_TEST(a_transmission_has_marks_before_and_behind_its_datagrams),
        TTCP_TEST(a_gap_spaces_the_datagrams),
        TTCP_TEST(a_receiver_counts_from_mark_to_mark),
        TTCP_TEST(four_of_five_end_marks_may_be_lost),
        TTCP_TEST(with_all_ends_lost_silence_ends_the_test_at_the_last_datagram),
        TTCP_TEST(strangers_do_not_disturb_a_test),
        TTCP_TEST(a_receiver_that_serves_again_waits_for_the_next_sender),
        TTCP_TEST(the_command_takes_u),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

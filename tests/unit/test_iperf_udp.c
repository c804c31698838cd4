/* SPDX-License-Identifier: BSD-3-Clause */
/* iperf 2 over UDP, both ends ours. */
#include "iperf_kit.h"

#include <string.h>

static void udp_moves_exactly_the_bytes_asked_for(void **state) {
    static const struct {
        uint64_t bytes;
        uint32_t len;
    } cases[] = {{16, 1470},  {1470, 1470}, {1471, 1470}, {1485, 1470}, {1486, 1470}, {10240, 100},
                 {10240, 76}, {10240, 75},  {1008, 16},   {2001, 40},   {99999, 1472}};
    struct kit *kit = *state;

    iperf_kit_serve();
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kit->report_count = 0;
        iperf_kit_call((struct nd_iperf_client_cfg){
            .udp = true, .bytes = cases[i].bytes, .len = cases[i].len, .bit_s = 10000000});
        kit_run_for(kit, 1000000);
        const struct nd_report *tx = iperf_kit_find(kit, "client", "tx");
        const struct nd_report *rx = iperf_kit_find(kit, "server", "rx");
        assert_int_equal(tx->result, ND_OK);
        assert_int_equal(tx->flow.tx.bytes, cases[i].bytes);
        assert_int_equal(rx->flow.rx.bytes, cases[i].bytes);
        assert_int_equal(rx->datagrams->lost, 0);
        assert_int_equal(rx->datagrams->datagrams, tx->tx_datagrams);
        assert_int_equal(tx->peer_datagrams->bytes, cases[i].bytes);
        assert_int_equal(tx->peer_datagrams->expected, tx->tx_datagrams);
        assert_int_equal(tx->peer_datagrams->lost, 0);
        iperf_kit_all_free(kit, 2);
    }
}

static void what_no_datagrams_can_share_is_refused(void **state) {
    struct nd_iperf_client_cfg cfg = {.to = kit_addr(ND_IPERF_PORT), .udp = true};

    (void)state;
    cfg.bytes = 15;
    assert_int_equal(nd_iperf_connect(&iperf_kit, &cfg), ND_E_ARG);
    cfg.bytes = 17;
    cfg.len = 16;
    assert_int_equal(nd_iperf_connect(&iperf_kit, &cfg), ND_E_ARG);
    cfg.bytes = 1000;
    cfg.len = 15;
    assert_int_equal(nd_iperf_connect(&iperf_kit, &cfg), ND_E_ARG);
    cfg.len = IPERF_KIT_DATAGRAM_BYTES + 1;
    assert_int_equal(nd_iperf_connect(&iperf_kit, &cfg), ND_E_ARG);
    cfg.len = 0;
    cfg.duplex = true;
    assert_int_equal(nd_iperf_connect(&iperf_kit, &cfg), ND_E_UNSUPPORTED);
}

static void udp_keeps_its_rate_and_tells_it(void **state) {
    struct kit *kit = *state;

    iperf_kit_serve_with((struct nd_iperf_server_cfg){.interval_ns = 500000000});
    iperf_kit_call(
        (struct nd_iperf_client_cfg){.udp = true, .duration_ns = 1000000000, .len = 1250});
    kit_run_for(kit, 1100000);
    const struct nd_report *rx = iperf_kit_find(kit, "server", "rx");
    assert_int_equal(rx->datagrams->expected, 101); /* every 10 ms, the end included */
    assert_in_range((uint64_t)nd_sequence_offered_bit_s(rx->datagrams), 999900, 1000100);
    assert_in_range((uint64_t)rx->datagrams->jitter_ns, 0, 20000);
    uint64_t sum = 0;
    for (unsigned i = 0; i < kit->report_count; i++) {
        if (kit->reports[i].report.interval) {
            sum += kit->reports[i].datagrams.expected;
        }
    }
    assert_int_equal(sum, 101);
}

static void a_slow_rate_does_not_outlast_the_time(void **state) {
    struct kit *kit = *state;

    iperf_kit_serve();
    iperf_kit_call((struct nd_iperf_client_cfg){.udp = true, .duration_ns = 100000000, .bit_s = 1});
    kit_run_for(kit, 150000);
    assert_int_equal(iperf_kit_find(kit, "client", "tx")->result, ND_OK);
    assert_int_equal(iperf_kit_find(kit, "client", "tx")->tx_datagrams, 2);
}

static void udp_reverse_starts_with_the_peers_request(void **state) {
    struct kit *kit = *state;

    iperf_kit_serve();
    iperf_kit_call((struct nd_iperf_client_cfg){
        .udp = true, .reverse = true, .bytes = 100000, .bit_s = 10000000, .len = 1000});
    kit_run_for(kit, 300000);
    assert_int_equal(iperf_kit_find(kit, "server", "tx")->flow.tx.bytes, 100000);
    const struct nd_report *rx = iperf_kit_find(kit, "client", "rx");
    assert_int_equal(rx->result, ND_OK);
    assert_int_equal(rx->flow.rx.bytes, 100000);
    assert_int_equal(rx->datagrams->lost, 0);
    iperf_kit_all_free(kit, 2);
}

/* A forged source address would aim the datagrams at somebody else. */
static void nothing_is_sent_over_udp_to_askers_unless_the_owner_lets_it(void **state) {
    struct kit *kit = *state;

    iperf_kit_serve_with((struct nd_iperf_server_cfg){0});
    iperf_kit_call((struct nd_iperf_client_cfg){
        .udp = true, .reverse = true, .bytes = 100000, .bit_s = 10000000, .len = 1000});
    kit_run_for(kit, 4000000);
    assert_int_equal(kit->report_count, 1);
    assert_int_equal(kit_last(kit)->result, ND_E_TIMEOUT);
    assert_int_equal(kit_last(kit)->flow.rx.bytes, 0);
    assert_true(iperf_kit.turned_away > 0);
}

static void a_client_asks_in_vain_for_three_seconds(void **state) {
    struct kit *kit = *state;

    iperf_kit_call((struct nd_iperf_client_cfg){.udp = true, .reverse = true, .bytes = 100000});
    kit_run_for(kit, 2900000);
    assert_int_equal(kit->report_count, 0);
    kit_run_for(kit, 300000);
    assert_int_equal(kit_last(kit)->result, ND_E_TIMEOUT);
    iperf_kit_all_free(kit, 0);
}

static void a_sender_without_a_receiver_says_so(void **state) {
    struct kit *kit = *state;

    iperf_kit_call((struct nd_iperf_client_cfg){.udp = true, .bytes = 10000});
    kit_run_for(kit, 3000000);
    assert_int_equal(kit_last(kit)->result, ND_E_TIMEOUT);
    assert_null(kit_last(kit)->peer_datagrams);
    assert_int_equal(kit_last(kit)->flow.tx.bytes, 10000);
    iperf_kit_all_free(kit, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IPERF_TEST(udp_moves_exactly_the_bytes_asked_for),
        IPERF_TEST(what_no_datagrams_can_share_is_refused),
        IPERF_TEST(udp_keeps_its_rate_and_tells_it),
        IPERF_TEST(a_slow_rate_does_not_outlast_the_time),
        IPERF_TEST(udp_reverse_starts_with_the_peers_request),
        IPERF_TEST(nothing_is_sent_over_udp_to_askers_unless_the_owner_lets_it),
        IPERF_TEST(a_client_asks_in_vain_for_three_seconds),
        IPERF_TEST(a_sender_without_a_receiver_says_so),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* iperf 2 over UDP with a peer made by hand. */
#include "iperf_kit.h"

#include <string.h>

static const struct nd_port *const port = &nd_port_loop;

static struct nd_conn *open_peer(struct kit *kit, uint16_t at) {
    struct nd_addr local = kit_addr(at);
    struct nd_conn *peer;

    assert_int_equal(port->udp_open(&kit->loop, &local, &peer), ND_OK);
    return peer;
}

static void put_u32(uint8_t *at, uint32_t value) {
    at[0] = (uint8_t)(value >> 24);
    at[1] = (uint8_t)(value >> 16);
    at[2] = (uint8_t)(value >> 8);
    at[3] = (uint8_t)value;
}

/* A datagram of 12 header bytes, as before 2.1; time stamps move by 1 ms for each id. */
static void send_old(struct kit *kit, struct nd_conn *peer, int32_t id) {
    struct nd_addr to = kit_addr(ND_IPERF_PORT);
    uint32_t number = id < 0 ? (uint32_t)-id : (uint32_t)id;
    uint8_t bytes[100] = {0};

    put_u32(bytes, (uint32_t)id);
    put_u32(bytes + 4, 1000 + number / 1000);
    put_u32(bytes + 8, number % 1000 * 1000);
    assert_int_equal(port->udp_tx(peer, &to, bytes, sizeof bytes, 0), sizeof bytes);
    kit_run_for(kit, 1000);
}

static uint32_t get_u32(const uint8_t *at) {
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void loss_order_and_duplicates_are_told_apart_to_both_ends(void **state) {
    struct kit *kit = *state;
    struct nd_conn *peer = open_peer(kit, 6000);
    struct nd_addr from;
    const void *got;

    iperf_kit_serve();
    for (int32_t id = 1; id < 100; id++) {
        if (id >= 20 && id < 30) {
            continue;
        }
        send_old(kit, peer, id == 70 ? 71 : id == 71 ? 70 : id);
        if (id >= 60 && id < 70) {
            send_old(kit, peer, id);
        }
    }
    send_old(kit, peer, -100);
    const struct nd_report *rx = kit_last(kit);
    assert_int_equal(rx->result, ND_OK);
    assert_int_equal(rx->datagrams->lost, 10);
    assert_int_equal(rx->datagrams->duplicates, 10);
    assert_int_equal(rx->datagrams->reordered, 1);
    assert_int_equal(rx->datagrams->expected, 100);
    assert_int_equal(rx->datagrams->bytes, 9000);
    assert_int_equal(rx->flow.rx.bytes, 10000);

    /* The report, in the layout of before 2.1. */
    assert_int_equal(port->udp_rx(peer, &from, &got), 52);
    const uint8_t *report = got;
    assert_int_equal(get_u32(report + 12), 0x80000000);
    assert_int_equal(get_u32(report + 20), 10000);
    assert_int_equal(get_u32(report + 32), 10);
    assert_int_equal(get_u32(report + 36), 1);
    assert_int_equal(get_u32(report + 40), 100);
    port->rx_done(peer, 52);

    /* It is repeated for as long as the end is, and no second test begins. */
    send_old(kit, peer, -101);
    assert_int_equal(port->udp_rx(peer, &from, &got), 52);
    port->rx_done(peer, 52);
    send_old(kit, peer, 55);
    kit_run_for(kit, 600000);
    assert_int_equal(kit->report_count, 1);
    port->close(peer);
    iperf_kit_all_free(kit, 2);
}

static void a_peer_of_before_2_1_that_sends_back_the_old_report_is_understood(void **state) {
    struct kit *kit = *state;
    struct nd_conn *peer = open_peer(kit, ND_IPERF_PORT);
    struct nd_addr from;
    const void *got;
    uint8_t report[52] = {0};
    int32_t n;

    iperf_kit_call(
        (struct nd_iperf_client_cfg){.udp = true, .bytes = 5000, .len = 1000, .bit_s = 8000000});
    for (unsigned i = 0; i < 8; i++) {
        kit_run_for(kit, 1000);
        while ((n = port->udp_rx(peer, &from, &got)) > 0) {
            port->rx_done(peer, (uint32_t)n);
        }
    }
    put_u32(report + 12, 0x80000000);
    put_u32(report + 20, 4000);
    put_u32(report + 28, 4000);
    put_u32(report + 32, 1);
    put_u32(report + 40, 5);
    put_u32(report + 48, 250);
    assert_int_equal(port->udp_tx(peer, &from, report, sizeof report, 0), sizeof report);
    kit_run_for(kit, 20000);
    assert_int_equal(kit_last(kit)->result, ND_OK);
    assert_int_equal(kit_last(kit)->peer_datagrams->bytes, 4000);
    assert_int_equal(kit_last(kit)->peer_datagrams->lost, 1);
    assert_int_equal(kit_last(kit)->peer_datagrams->datagrams, 4);
    assert_int_equal(kit_last(kit)->peer_datagrams->jitter_ns, 250000);
    assert_int_equal(kit_last(kit)->peer_ns, 4000000);
    port->close(peer);
}

static void a_minimal_sender_is_counted_and_times_out(void **state) {
    struct kit *kit = *state;
    struct nd_conn *peer = open_peer(kit, 6000);
    struct nd_addr to = kit_addr(ND_IPERF_PORT);
    uint8_t bytes[200] = {0};

    iperf_kit_serve();
    for (uint32_t id = 0; id < 50; id++) { /* from 0, no time stamps, no end */
        put_u32(bytes, id);
        port->udp_tx(peer, &to, bytes, id % 2 == 0 ? sizeof bytes : 4, 0);
        kit_run_for(kit, 1000);
    }
    kit_run_for(kit, 2400000);
    assert_int_equal(kit->report_count, 0);
    kit_run_for(kit, 200000);
    const struct nd_report *rx = kit_last(kit);
    assert_int_equal(rx->result, ND_E_TIMEOUT);
    assert_int_equal(rx->datagrams->lost, 0);
    assert_int_equal(rx->datagrams->expected, 50);
    assert_int_equal(rx->datagrams->jitter_ns, ND_NOT_SUPPORTED);
    assert_int_equal(rx->end, rx->flow.rx.last);
    port->close(peer);
    iperf_kit_all_free(kit, 2);
}

static void several_peers_are_kept_apart_and_one_too_many_is_turned_away(void **state) {
    struct kit *kit = *state;
    struct nd_conn *peers[IPERF_KIT_PLACES + 1];

    iperf_kit_serve();
    for (uint16_t i = 0; i <= IPERF_KIT_PLACES; i++) {
        peers[i] = open_peer(kit, (uint16_t)(6000 + i));
    }
    for (int32_t id = 1; id <= 10; id++) {
        for (unsigned i = 0; i <= IPERF_KIT_PLACES; i++) {
            send_old(kit, peers[i], id);
        }
    }
    for (unsigned i = 0; i < IPERF_KIT_PLACES; i++) {
        send_old(kit, peers[i], -11);
        assert_int_equal(kit_last(kit)->datagrams->expected, 11);
        assert_int_equal(kit_last(kit)->datagrams->lost, 0);
        assert_int_equal(kit_last(kit)->peer.port, 6000 + i);
    }
    assert_int_equal(iperf_kit.turned_away, 10);
    for (unsigned i = 0; i <= IPERF_KIT_PLACES; i++) {
        port->close(peers[i]);
    }
}

static void ids_go_on_across_the_end_of_31_bits(void **state) {
    struct kit *kit = *state;
    struct nd_conn *peer = open_peer(kit, 6000);

    iperf_kit_serve();
    send_old(kit, peer, 1);
    struct nd_iperf_test *test = iperf_kit_places;
    nd_sequence_start(&test->meter, 0x7FFFFFFF - 50, KIT_HZ);
    for (uint32_t n = 0x7FFFFFFF - 50; n != 0x80000000u + 50; n++) {
        send_old(kit, peer, (int32_t)(n & 0x7FFFFFFF));
    }
    struct nd_sequence total;
    nd_sequence_total(&test->meter, &total);
    assert_int_equal(total.lost, 0);
    assert_int_equal(total.datagrams, 101);
    port->close(peer);
}

static void counts_go_on_beyond_4_gib(void **state) {
    struct kit *kit = *state;
    uint64_t start = UINT32_MAX - 500u;

    iperf_kit_serve();
    iperf_kit_call(
        (struct nd_iperf_client_cfg){.udp = true, .bytes = 5000, .len = 1000, .bit_s = 8000000});
    kit_run_for(kit, 20);
    for (unsigned i = 0; i < IPERF_KIT_PLACES; i++) {
        if (iperf_kit_places[i].state != ND_IPERF_FREE && iperf_kit_places[i].receives) {
            iperf_kit_places[i].flow.rx.bytes += start;
        }
    }
    kit_run_for(kit, 100000);
    assert_int_equal(iperf_kit_find(kit, "server", "rx")->flow.rx.bytes, start + 5000);
    assert_int_equal(iperf_kit_find(kit, "client", "tx")->peer_datagrams->bytes, start + 5000);
}

static void no_datagram_is_sent_to_simple_services(void **state) {
    struct kit *kit = *state;
    struct nd_conn *victim = open_peer(kit, 19);
    struct nd_addr to = kit_addr(ND_IPERF_PORT);
    uint8_t bytes[76] = {0};
    struct nd_addr from;
    const void *got;

    iperf_kit_serve();
    put_u32(bytes, 1);
    put_u32(bytes + 16, 0x6c010098);
    put_u32(bytes + 48, 0x04000000);
    assert_int_equal(port->udp_tx(victim, &to, bytes, sizeof bytes, 0), sizeof bytes);
    kit_run_for(kit, 100000);
    assert_int_equal(port->udp_rx(victim, &from, &got), ND_AGAIN);
    assert_int_equal(iperf_kit.turned_away, 1);
    port->close(victim);
    iperf_kit_all_free(kit, 2);
}

static unsigned tx_calls;

static int32_t udp_tx_every_third_time(struct nd_conn *socket, const struct nd_addr *to,
                                       const void *bytes, uint32_t len, unsigned flags) {
    return len < 500 || ++tx_calls % 3 == 0 ? nd_port_loop.udp_tx(socket, to, bytes, len, flags)
                                            : ND_AGAIN;
}

static void a_datagram_that_finds_no_room_spends_no_id(void **state) {
    struct kit *kit = *state;
    struct nd_port full = nd_port_loop;

    iperf_kit_serve();
    full.udp_tx = udp_tx_every_third_time;
    kit->agent.cfg.port = &full;
    iperf_kit_call(
        (struct nd_iperf_client_cfg){.udp = true, .bytes = 20000, .len = 1000, .bit_s = 8000000});
    kit_run_for(kit, 300000);
    const struct nd_report *tx = iperf_kit_find(kit, "client", "tx");
    const struct nd_report *rx = iperf_kit_find(kit, "server", "rx");
    assert_int_equal(tx->tx_datagrams, 20);
    assert_in_range(tx->tx_failures, 38, 40);
    assert_int_equal(rx->datagrams->lost, 0);
    assert_int_equal(rx->datagrams->expected, 20);
    assert_int_equal(rx->flow.rx.bytes, 20000);
    kit->agent.cfg.port = port;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IPERF_TEST(loss_order_and_duplicates_are_told_apart_to_both_ends),
        IPERF_TEST(a_peer_of_before_2_1_that_sends_back_the_old_report_is_understood),
        IPERF_TEST(a_minimal_sender_is_counted_and_times_out),
        IPERF_TEST(several_peers_are_kept_apart_and_one_too_many_is_turned_away),
        IPERF_TEST(ids_go_on_across_the_end_of_31_bits),
        IPERF_TEST(counts_go_on_beyond_4_gib),
        IPERF_TEST(no_datagram_is_sent_to_simple_services),
        IPERF_TEST(a_datagram_that_finds_no_room_spends_no_id),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

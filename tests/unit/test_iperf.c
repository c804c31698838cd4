/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_kit.h"

#include <string.h>

#include "nd/iperf.h"

#define PLACES 4

static const struct nd_port *const port = &nd_port_loop;

static struct nd_iperf iperf;
static struct nd_iperf_test places[PLACES];
static uint8_t buffer[1472];

static int setup(void **state) {
    int result = kit_setup(state);

    nd_iperf_init(&iperf, &((struct kit *)*state)->agent, places, PLACES, buffer, sizeof buffer);
    return result;
}

#define IPERF_TEST(test) cmocka_unit_test_setup_teardown(test, setup, kit_teardown)

static void serve_with(struct nd_iperf_server_cfg cfg) {
    cfg.at = kit_addr(ND_IPERF_PORT);
    cfg.tcp = true;
    cfg.udp = true;
    assert_int_equal(nd_iperf_serve(&iperf, &cfg), ND_OK);
}

static void serve(void) {
    serve_with((struct nd_iperf_server_cfg){.limits = {.udp_to_askers = true}});
}

static void call(struct nd_iperf_client_cfg cfg) {
    cfg.to = kit_addr(ND_IPERF_PORT);
    assert_int_equal(nd_iperf_connect(&iperf, &cfg), ND_OK);
}

/* The final reports of this role and phase. */
static unsigned count(const struct kit *kit, const char *role, const char *phase) {
    unsigned n = 0;

    for (unsigned i = 0; i < kit->report_count; i++) {
        const struct nd_report *report = &kit->reports[i].report;
        n += report->last && strcmp(report->role, role) == 0 && strcmp(report->phase, phase) == 0;
    }
    return n;
}

static const struct nd_report *find(const struct kit *kit, const char *role, const char *phase) {
    for (unsigned i = kit->report_count; i > 0; i--) {
        const struct nd_report *report = &kit->reports[i - 1].report;
        if (report->last && strcmp(report->role, role) == 0 && strcmp(report->phase, phase) == 0) {
            return report;
        }
    }
    fail_msg("no report of %s %s", role, phase);
    return NULL;
}

static void all_places_are_free(const struct kit *kit, uint32_t used) {
    for (unsigned i = 0; i < PLACES; i++) {
        assert_int_equal(places[i].state, ND_IPERF_FREE);
    }
    assert_int_equal(kit_used(kit), used);
}

/* ---- TCP ----------------------------------------------------------------------------- */

static void tcp_moves_exactly_the_bytes_asked_for(void **state) {
    static const uint64_t amounts[] = {1,    5,    59,   60,    61,    1459,   1460,
                                       1461, 4096, 9999, 10240, 65536, 1048576};
    static const uint32_t lengths[] = {0, 1, 16, 1459, 1460, 1461, 8192};
    struct kit *kit = *state;

    serve();
    for (unsigned i = 0; i < sizeof amounts / sizeof amounts[0]; i++) {
        uint32_t len = lengths[i % 7];
        if (len == 1 && amounts[i] > 10000) {
            len = 0;
        }
        kit->report_count = 0;
        call((struct nd_iperf_client_cfg){.bytes = amounts[i], .len = len});
        kit_run(kit);
        assert_int_equal(find(kit, "client", "tx")->result, ND_OK);
        assert_int_equal(find(kit, "client", "tx")->flow.tx.bytes, amounts[i]);
        assert_int_equal(find(kit, "server", "rx")->result, ND_OK);
        assert_int_equal(find(kit, "server", "rx")->flow.rx.bytes, amounts[i]);
        all_places_are_free(kit, 2);
    }
}

static void a_duration_ends_a_tcp_test(void **state) {
    struct kit *kit = *state;

    serve();
    call((struct nd_iperf_client_cfg){.duration_ns = 50000000});
    kit_run(kit);
    const struct nd_report *tx = find(kit, "client", "tx");
    assert_in_range(nd_span_elapsed(&tx->flow.tx), 49000, 50010);
    assert_int_equal(tx->flow.tx.bytes, find(kit, "server", "rx")->flow.rx.bytes);
}

static void reverse_lets_the_server_send(void **state) {
    struct kit *kit = *state;

    serve();
    call((struct nd_iperf_client_cfg){.bytes = 100001, .reverse = true});
    kit_run(kit);
    assert_int_equal(find(kit, "server", "tx")->flow.tx.bytes, 100001);
    assert_int_equal(find(kit, "server", "tx")->flow.rx.bytes, 0);
    assert_int_equal(find(kit, "client", "rx")->flow.rx.bytes, 100001);
    all_places_are_free(kit, 2);
}

static void full_duplex_uses_one_connection_for_both(void **state) {
    struct kit *kit = *state;

    serve();
    call((struct nd_iperf_client_cfg){.bytes = 100001, .duplex = true});
    kit_run(kit);
    const struct nd_report *server = find(kit, "server", "duplex");
    const struct nd_report *client = find(kit, "client", "duplex");
    assert_int_equal(server->flow.rx.bytes, 100001);
    assert_int_equal(server->flow.tx.bytes, 100001);
    assert_int_equal(client->flow.rx.bytes, 100001);
    assert_int_equal(client->flow.tx.bytes, 100001);
    all_places_are_free(kit, 2);
}

static void a_test_back_comes_at_once_or_afterwards(void **state) {
    struct kit *kit = *state;

    serve();
    for (unsigned after = 0; after < 2; after++) {
        kit->report_count = 0;
        call((struct nd_iperf_client_cfg){.bytes = 50000, .dual = !after, .tradeoff = after});
        kit_run(kit);
        assert_int_equal(kit->report_count, 4);
        assert_int_equal(find(kit, "client", "tx")->flow.tx.bytes, 50000);
        assert_int_equal(find(kit, "server", "tx")->flow.tx.bytes, 50000);
        assert_int_equal(count(kit, "server", "rx"), 2);
        all_places_are_free(kit, 2);
    }
}

static void a_test_back_waits_for_its_listener(void **state) {
    struct kit *kit = *state;
    struct nd_addr at = kit_addr(5003);
    struct nd_conn *listener;

    serve();
    call((struct nd_iperf_client_cfg){.bytes = 50000, .dual = true, .listen_port = 5003});
    kit_run_for(kit, 200000);
    assert_int_equal(count(kit, "server", "tx"), 0);
    assert_int_equal(port->listen(&kit->loop, &at, &listener), ND_OK);
    kit_run_for(kit, 200000);
    struct nd_conn *conn;
    assert_int_equal(port->accept(listener, &conn), ND_OK);
    port->close(conn);
    port->close(listener);
    kit_run_for(kit, 2000000);
    all_places_are_free(kit, 2);
}

static void parallel_streams_each_have_a_place_and_a_report(void **state) {
    struct kit *kit = *state;

    serve();
    struct nd_iperf_client_cfg cfg = {.to = kit_addr(ND_IPERF_PORT), .bytes = 5000, .parallel = 2};
    assert_int_equal(nd_iperf_connect(&iperf, &cfg), ND_OK);
    kit_run(kit);
    assert_int_equal(count(kit, "client", "tx"), 2);
    assert_int_equal(count(kit, "server", "rx"), 2);
    assert_int_equal(find(kit, "client", "tx")->flow.tx.bytes, 5000);
    assert_int_not_equal(find(kit, "client", "tx")->stream, 0);
    cfg.parallel = PLACES + 1;
    assert_int_equal(nd_iperf_connect(&iperf, &cfg), ND_E_FULL);
    all_places_are_free(kit, 2);
}

static void intervals_add_up_to_the_whole(void **state) {
    struct kit *kit = *state;
    uint64_t rx = 0;
    uint64_t tx = 0;

    serve_with((struct nd_iperf_server_cfg){.interval_ns = 10000000});
    call((struct nd_iperf_client_cfg){
        .duration_ns = 60000000, .interval_ns = 20000000, .len = 1000, .bit_s = 100000000});
    kit_run_for(kit, 80000);
    for (unsigned i = 0; i < kit->report_count; i++) {
        const struct nd_report *report = &kit->reports[i].report;
        rx += report->interval ? report->flow.rx.bytes : 0;
        tx += report->interval ? report->flow.tx.bytes : 0;
        assert_true(report->end > report->begin);
    }
    assert_int_equal(tx, find(kit, "client", "tx")->flow.tx.bytes);
    assert_int_equal(rx, find(kit, "server", "rx")->flow.rx.bytes);
    assert_int_equal(kit->report_count, 2 + 3 + 6);
    /* 100 Mbit/s for 60 ms */
    assert_in_range(tx, 750000 - 2000, 750000 + 2000);
}

static void a_connection_that_says_nothing_is_reported_short(void **state) {
    struct kit *kit = *state;

    serve();
    struct nd_conn *peer = kit_dial(kit, ND_IPERF_PORT);
    port->end(peer);
    kit_run(kit);
    assert_int_equal(kit_last(kit)->result, ND_E_SHORT);
    port->close(peer);
    kit_run(kit);
    all_places_are_free(kit, 2);
}

static void data_without_a_header_are_counted_byte_by_byte(void **state) {
    struct kit *kit = *state;

    serve();
    struct nd_conn *peer = kit_dial(kit, ND_IPERF_PORT);
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(port->tx(peer, &"0123456789"[i % 10], 1, 0), 1);
        kit_run(kit);
    }
    port->end(peer);
    kit_run(kit);
    assert_int_equal(kit_last(kit)->result, ND_OK);
    assert_int_equal(kit_last(kit)->flow.rx.bytes, 100);
    port->close(peer);
}

static void a_header_that_is_cut_anywhere_is_put_together(void **state) {
    struct kit *kit = *state;
    static const uint8_t head[60] = {0x40, 0x01,     0x00,        0x78,     0, 0, 0, 1, 0, 0, 0x13,
                                     0x89, [20] = 0, [22] = 0x28, [36] = 0, 2, 0, 1, 0, 8, 0, 3};
    struct nd_conn *peer;
    const void *bytes;

    serve();
    peer = kit_dial(kit, ND_IPERF_PORT);
    for (unsigned i = 0; i < sizeof head; i++) {
        assert_int_equal(port->tx(peer, head + i, 1, 0), 1);
        kit_run(kit);
        assert_int_equal(port->rx(peer, &bytes) > 0, i == sizeof head - 1);
    }
    assert_int_equal(port->rx(peer, &bytes), 28);
    assert_int_equal(((const uint8_t *)bytes)[3], 2);
    assert_int_equal(((const uint8_t *)bytes)[7], 28);
    port->rx_done(peer, 28);
    port->end(peer);
    kit_run(kit);
    assert_int_equal(kit_last(kit)->flow.rx.bytes, 60);
    port->close(peer);
}

static void an_iperf_3_client_is_told_apart_and_hung_up_on(void **state) {
    struct kit *kit = *state;
    static const char cookie[] = "abcdefghijklmnopqrstuvwxyz234567abcd";

    serve();
    struct nd_conn *peer = kit_dial(kit, ND_IPERF_PORT);
    for (unsigned i = 0; i < sizeof cookie; i++) { /* in 37 pieces */
        assert_int_equal(port->tx(peer, cookie + i, 1, 0), 1);
        kit_run(kit);
    }
    assert_int_equal(kit_last(kit)->result, ND_E_PROTOCOL);
    assert_non_null(strstr(kit_last(kit)->message, "iperf 3"));
    assert_non_null(strstr(kit_last(kit)->message, "iperf 2"));
    assert_int_equal(port->status(peer), ND_E_RESET);
    port->close(peer);
    all_places_are_free(kit, 2);
}

static void a_caller_that_breaks_off_frees_its_place_in_every_phase(void **state) {
    struct kit *kit = *state;
    static const uint8_t head[60] = {0x44, 0x01, 0x00, 0x78, [32] = 0x04};

    serve();
    for (uint32_t sent = 0; sent <= sizeof head; sent += 20) {
        struct nd_conn *peer = kit_dial(kit, ND_IPERF_PORT);
        if (sent > 0) {
            assert_int_equal(port->tx(peer, head, sent, 0), sent);
        }
        kit_run_for(kit, 1000);
        port->close(peer);
        kit_run(kit);
        assert_int_equal(kit_last(kit)->result, ND_E_RESET);
        all_places_are_free(kit, 2);
    }
}

static void the_owners_limits_bind_what_strangers_ask_for(void **state) {
    struct kit *kit = *state;

    serve_with((struct nd_iperf_server_cfg){.limits = {.max_seconds = 1, .max_bit_s = 1000000}});
    call((struct nd_iperf_client_cfg){.duration_ns = 5000000000, .reverse = true, .len = 1000});
    kit_run_for(kit, 1200000);
    const struct nd_report *tx = find(kit, "server", "tx");
    assert_in_range(tx->flow.tx.bytes, 124000, 126000);
    assert_in_range(nd_span_elapsed(&tx->flow.tx), 990000, 1000100);

    kit->report_count = 0;
    call((struct nd_iperf_client_cfg){.duration_ns = 5000000000, .len = 1000, .bit_s = 1000000});
    kit_run_for(kit, 1200000);
    assert_int_equal(find(kit, "server", "rx")->result, ND_E_STOPPED);
    all_places_are_free(kit, 2);
}

/* ---- UDP: two agents of one kind ------------------------------------------------------ */

static void udp_moves_exactly_the_bytes_asked_for(void **state) {
    static const struct {
        uint64_t bytes;
        uint32_t len;
    } cases[] = {{16, 1470},  {1470, 1470}, {1471, 1470}, {1485, 1470}, {1486, 1470}, {10240, 100},
                 {10240, 76}, {10240, 75},  {1008, 16},   {2001, 40},   {99999, 1472}};
    struct kit *kit = *state;

    serve();
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        kit->report_count = 0;
        call((struct nd_iperf_client_cfg){
            .udp = true, .bytes = cases[i].bytes, .len = cases[i].len, .bit_s = 10000000});
        kit_run_for(kit, 1000000);
        const struct nd_report *tx = find(kit, "client", "tx");
        const struct nd_report *rx = find(kit, "server", "rx");
        assert_int_equal(tx->result, ND_OK);
        assert_int_equal(tx->flow.tx.bytes, cases[i].bytes);
        assert_int_equal(rx->flow.rx.bytes, cases[i].bytes);
        assert_int_equal(rx->datagrams->lost, 0);
        assert_int_equal(rx->datagrams->datagrams, tx->tx_datagrams);
        assert_int_equal(tx->peer_datagrams->bytes, cases[i].bytes);
        assert_int_equal(tx->peer_datagrams->expected, tx->tx_datagrams);
        assert_int_equal(tx->peer_datagrams->lost, 0);
        all_places_are_free(kit, 2);
    }
}

static void what_no_datagrams_can_share_is_refused(void **state) {
    struct nd_iperf_client_cfg cfg = {.to = kit_addr(ND_IPERF_PORT), .udp = true};

    (void)state;
    cfg.bytes = 15;
    assert_int_equal(nd_iperf_connect(&iperf, &cfg), ND_E_ARG);
    cfg.bytes = 17;
    cfg.len = 16;
    assert_int_equal(nd_iperf_connect(&iperf, &cfg), ND_E_ARG);
    cfg.bytes = 1000;
    cfg.len = 15;
    assert_int_equal(nd_iperf_connect(&iperf, &cfg), ND_E_ARG);
    cfg.len = sizeof buffer + 1;
    assert_int_equal(nd_iperf_connect(&iperf, &cfg), ND_E_ARG);
    cfg.len = 0;
    cfg.duplex = true;
    assert_int_equal(nd_iperf_connect(&iperf, &cfg), ND_E_UNSUPPORTED);
}

static void udp_keeps_its_rate_and_tells_it(void **state) {
    struct kit *kit = *state;

    serve_with((struct nd_iperf_server_cfg){.interval_ns = 500000000});
    call((struct nd_iperf_client_cfg){.udp = true, .duration_ns = 1000000000, .len = 1250});
    kit_run_for(kit, 1100000);
    const struct nd_report *rx = find(kit, "server", "rx");
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

    serve();
    call((struct nd_iperf_client_cfg){.udp = true, .duration_ns = 100000000, .bit_s = 1});
    kit_run_for(kit, 150000);
    assert_int_equal(find(kit, "client", "tx")->result, ND_OK);
    assert_int_equal(find(kit, "client", "tx")->tx_datagrams, 2);
}

static void udp_reverse_starts_with_the_peers_request(void **state) {
    struct kit *kit = *state;

    serve();
    call((struct nd_iperf_client_cfg){
        .udp = true, .reverse = true, .bytes = 100000, .bit_s = 10000000, .len = 1000});
    kit_run_for(kit, 300000);
    assert_int_equal(find(kit, "server", "tx")->flow.tx.bytes, 100000);
    const struct nd_report *rx = find(kit, "client", "rx");
    assert_int_equal(rx->result, ND_OK);
    assert_int_equal(rx->flow.rx.bytes, 100000);
    assert_int_equal(rx->datagrams->lost, 0);
    all_places_are_free(kit, 2);
}

/* A forged source address would aim the datagrams at somebody else. */
static void nothing_is_sent_over_udp_to_askers_unless_the_owner_lets_it(void **state) {
    struct kit *kit = *state;

    serve_with((struct nd_iperf_server_cfg){0});
    call((struct nd_iperf_client_cfg){
        .udp = true, .reverse = true, .bytes = 100000, .bit_s = 10000000, .len = 1000});
    kit_run_for(kit, 4000000);
    assert_int_equal(kit->report_count, 1);
    assert_int_equal(kit_last(kit)->result, ND_E_TIMEOUT);
    assert_int_equal(kit_last(kit)->flow.rx.bytes, 0);
    assert_true(iperf.turned_away > 0);
}

static void a_client_asks_in_vain_for_three_seconds(void **state) {
    struct kit *kit = *state;

    call((struct nd_iperf_client_cfg){.udp = true, .reverse = true, .bytes = 100000});
    kit_run_for(kit, 2900000);
    assert_int_equal(kit->report_count, 0);
    kit_run_for(kit, 300000);
    assert_int_equal(kit_last(kit)->result, ND_E_TIMEOUT);
    all_places_are_free(kit, 0);
}

static void a_sender_without_a_receiver_says_so(void **state) {
    struct kit *kit = *state;

    call((struct nd_iperf_client_cfg){.udp = true, .bytes = 10000});
    kit_run_for(kit, 3000000);
    assert_int_equal(kit_last(kit)->result, ND_E_TIMEOUT);
    assert_null(kit_last(kit)->peer_datagrams);
    assert_int_equal(kit_last(kit)->flow.tx.bytes, 10000);
    all_places_are_free(kit, 0);
}

/* ---- UDP: a peer made by hand --------------------------------------------------------- */

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

    serve();
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
    all_places_are_free(kit, 2);
}

static void a_peer_of_before_2_1_that_sends_back_the_old_report_is_understood(void **state) {
    struct kit *kit = *state;
    struct nd_conn *peer = open_peer(kit, ND_IPERF_PORT);
    struct nd_addr from;
    const void *got;
    uint8_t report[52] = {0};
    int32_t n;

    call((struct nd_iperf_client_cfg){.udp = true, .bytes = 5000, .len = 1000, .bit_s = 8000000});
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

    serve();
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
    all_places_are_free(kit, 2);
}

static void several_peers_are_kept_apart_and_one_too_many_is_turned_away(void **state) {
    struct kit *kit = *state;
    struct nd_conn *peers[PLACES + 1];

    serve();
    for (uint16_t i = 0; i <= PLACES; i++) {
        peers[i] = open_peer(kit, (uint16_t)(6000 + i));
    }
    for (int32_t id = 1; id <= 10; id++) {
        for (unsigned i = 0; i <= PLACES; i++) {
            send_old(kit, peers[i], id);
        }
    }
    for (unsigned i = 0; i < PLACES; i++) {
        send_old(kit, peers[i], -11);
        assert_int_equal(kit_last(kit)->datagrams->expected, 11);
        assert_int_equal(kit_last(kit)->datagrams->lost, 0);
        assert_int_equal(kit_last(kit)->peer.port, 6000 + i);
    }
    assert_int_equal(iperf.turned_away, 10);
    for (unsigned i = 0; i <= PLACES; i++) {
        port->close(peers[i]);
    }
}

static void ids_go_on_across_the_end_of_31_bits(void **state) {
    struct kit *kit = *state;
    struct nd_conn *peer = open_peer(kit, 6000);

    serve();
    send_old(kit, peer, 1);
    struct nd_iperf_test *test = places;
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

    serve();
    call((struct nd_iperf_client_cfg){.udp = true, .bytes = 5000, .len = 1000, .bit_s = 8000000});
    kit_run_for(kit, 20);
    for (unsigned i = 0; i < PLACES; i++) {
        if (places[i].state != ND_IPERF_FREE && places[i].receives) {
            places[i].flow.rx.bytes += start;
        }
    }
    kit_run_for(kit, 100000);
    assert_int_equal(find(kit, "server", "rx")->flow.rx.bytes, start + 5000);
    assert_int_equal(find(kit, "client", "tx")->peer_datagrams->bytes, start + 5000);
}

static void no_datagram_is_sent_to_simple_services(void **state) {
    struct kit *kit = *state;
    struct nd_conn *victim = open_peer(kit, 19);
    struct nd_addr to = kit_addr(ND_IPERF_PORT);
    uint8_t bytes[76] = {0};
    struct nd_addr from;
    const void *got;

    serve();
    put_u32(bytes, 1);
    put_u32(bytes + 16, 0x6c010098);
    put_u32(bytes + 48, 0x04000000);
    assert_int_equal(port->udp_tx(victim, &to, bytes, sizeof bytes, 0), sizeof bytes);
    kit_run_for(kit, 100000);
    assert_int_equal(port->udp_rx(victim, &from, &got), ND_AGAIN);
    assert_int_equal(iperf.turned_away, 1);
    port->close(victim);
    all_places_are_free(kit, 2);
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

    serve();
    full.udp_tx = udp_tx_every_third_time;
    kit->agent.cfg.port = &full;
    call((struct nd_iperf_client_cfg){.udp = true, .bytes = 20000, .len = 1000, .bit_s = 8000000});
    kit_run_for(kit, 300000);
    const struct nd_report *tx = find(kit, "client", "tx");
    const struct nd_report *rx = find(kit, "server", "rx");
    assert_int_equal(tx->tx_datagrams, 20);
    assert_in_range(tx->tx_failures, 38, 40);
    assert_int_equal(rx->datagrams->lost, 0);
    assert_int_equal(rx->datagrams->expected, 20);
    assert_int_equal(rx->flow.rx.bytes, 20000);
    kit->agent.cfg.port = port;
}

/* ---- life ----------------------------------------------------------------------------- */

static void stop_ends_every_test_and_the_server_stays(void **state) {
    struct kit *kit = *state;

    serve();
    call((struct nd_iperf_client_cfg){.bit_s = 1000000, .len = 1000});
    call((struct nd_iperf_client_cfg){.udp = true});
    kit_run_for(kit, 10000);
    nd_agent_stop_tests(&kit->agent);
    kit_run_for(kit, 1000);
    all_places_are_free(kit, 2);
    assert_int_equal(kit->report_count, 4);
    nd_iperf_close(&iperf);
    assert_int_equal(kit_used(kit), 0);
}

static void fifty_tests_leave_nothing_behind(void **state) {
    struct kit *kit = *state;

    serve();
    for (unsigned i = 0; i < 50; i++) {
        kit->report_count = 0;
        call((struct nd_iperf_client_cfg){.udp = i % 5 == 4,
                                          .bytes = 3000,
                                          .reverse = i % 5 == 1,
                                          .duplex = i % 5 == 2,
                                          .tradeoff = i % 5 == 3,
                                          .len = 500,
                                          .bit_s = 100000000});
        kit_run_for(kit, 700000);
        assert_int_equal(kit->report_count, i % 5 == 3 ? 4 : 2);
        for (unsigned k = 0; k < kit->report_count; k++) {
            assert_int_equal(kit->reports[k].report.result, ND_OK);
        }
        all_places_are_free(kit, 2);
    }
}

static void the_command_serves_and_calls(void **state) {
    struct kit *kit = *state;
    static struct nd_command command;

    nd_iperf_command(&command, &iperf);
    nd_console_add(&kit->console, &command);
    assert_string_equal(kit_type(kit, "iperf -s -u\n"), "iperf listen port:5001 udp\n");
    assert_non_null(strstr(kit_type(kit, "iperf -s\n"), "there already"));
    assert_string_equal(kit_type(kit, "iperf -c 10.0.0.1 -u -n 10K -l1K -b 100M -P 2\n"),
                        "iperf connect 10.0.0.1 port:5001 udp\n");
    kit_run_for(kit, 100000);
    assert_int_equal(count(kit, "server", "rx"), 2);
    assert_int_equal(find(kit, "server", "rx")->flow.rx.bytes, 10240);
    assert_int_equal(find(kit, "client", "tx")->tx_datagrams, 10);
}

static void the_command_names_what_is_wrong(void **state) {
    static const char *const lines[] = {"iperf\n",
                                        "iperf -s -c 10.0.0.1\n",
                                        "iperf -c\n",
                                        "iperf -x\n",
                                        "iperf -s -n 0\n",
                                        "iperf -s -p 65536\n",
                                        "iperf -c host\n",
                                        "iperf -c 1.2.3.4 -R -d\n",
                                        "iperf -c 1.2.3.4 -b 99999999999G\n",
                                        "iperf -c 1.2.3.4 -t 5K\n",
                                        "iperf -c 1.2.3.4 -u -l 9\n"};
    struct kit *kit = *state;
    static struct nd_command command;

    nd_iperf_command(&command, &iperf);
    nd_console_add(&kit->console, &command);
    for (unsigned i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_non_null(strstr(kit_type(kit, lines[i]), "error: arg: "));
    }
    all_places_are_free(kit, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        IPERF_TEST(tcp_moves_exactly_the_bytes_asked_for),
        IPERF_TEST(a_duration_ends_a_tcp_test),
        IPERF_TEST(reverse_lets_the_server_send),
        IPERF_TEST(full_duplex_uses_one_connection_for_both),
        IPERF_TEST(a_test_back_comes_at_once_or_afterwards),
        IPERF_TEST(a_test_back_waits_for_its_listener),
        IPERF_TEST(parallel_streams_each_have_a_place_and_a_report),
        IPERF_TEST(intervals_add_up_to_the_whole),
        IPERF_TEST(a_connection_that_says_nothing_is_reported_short),
        IPERF_TEST(data_without_a_header_are_counted_byte_by_byte),
        IPERF_TEST(a_header_that_is_cut_anywhere_is_put_together),
        IPERF_TEST(an_iperf_3_client_is_told_apart_and_hung_up_on),
        IPERF_TEST(a_caller_that_breaks_off_frees_its_place_in_every_phase),
        IPERF_TEST(the_owners_limits_bind_what_strangers_ask_for),
        IPERF_TEST(udp_moves_exactly_the_bytes_asked_for),
        IPERF_TEST(what_no_datagrams_can_share_is_refused),
        IPERF_TEST(udp_keeps_its_rate_and_tells_it),
        IPERF_TEST(a_slow_rate_does_not_outlast_the_time),
        IPERF_TEST(udp_reverse_starts_with_the_peers_request),
        IPERF_TEST(nothing_is_sent_over_udp_to_askers_unless_the_owner_lets_it),
        IPERF_TEST(a_client_asks_in_vain_for_three_seconds),
        IPERF_TEST(a_sender_without_a_receiver_says_so),
        IPERF_TEST(loss_order_and_duplicates_are_told_apart_to_both_ends),
        IPERF_TEST(a_peer_of_before_2_1_that_sends_back_the_old_report_is_understood),
        IPERF_TEST(a_minimal_sender_is_counted_and_times_out),
        IPERF_TEST(several_peers_are_kept_apart_and_one_too_many_is_turned_away),
        IPERF_TEST(ids_go_on_across_the_end_of_31_bits),
        IPERF_TEST(counts_go_on_beyond_4_gib),
        IPERF_TEST(no_datagram_is_sent_to_simple_services),
        IPERF_TEST(a_datagram_that_finds_no_room_spends_no_id),
        IPERF_TEST(stop_ends_every_test_and_the_server_stays),
        IPERF_TEST(fifty_tests_leave_nothing_behind),
        IPERF_TEST(the_command_serves_and_calls),
        IPERF_TEST(the_command_names_what_is_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

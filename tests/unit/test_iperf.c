/* SPDX-License-Identifier: BSD-3-Clause */
/* iperf 2 over TCP, and what all its tests share. */
#include "iperf_kit.h"

#include <string.h>

static const struct nd_port *const port = &nd_port_loop;

static void tcp_moves_exactly_the_bytes_asked_for(void **state) {
    static const uint64_t amounts[] = {1,    5,    59,   60,    61,    1459,   1460,
                                       1461, 4096, 9999, 10240, 65536, 1048576};
    static const uint32_t lengths[] = {0, 1, 16, 1459, 1460, 1461, 8192};
    struct kit *kit = *state;

    iperf_kit_serve();
    for (unsigned i = 0; i < sizeof amounts / sizeof amounts[0]; i++) {
        uint32_t len = lengths[i % 7];
        if (len == 1 && amounts[i] > 10000) {
            len = 0;
        }
        kit->report_count = 0;
        iperf_kit_call((struct nd_iperf_client_cfg){.bytes = amounts[i], .len = len});
        kit_run(kit);
        assert_int_equal(iperf_kit_find(kit, "client", "tx")->result, ND_OK);
        assert_int_equal(iperf_kit_find(kit, "client", "tx")->flow.tx.bytes, amounts[i]);
        assert_int_equal(iperf_kit_find(kit, "server", "rx")->result, ND_OK);
        assert_int_equal(iperf_kit_find(kit, "server", "rx")->flow.rx.bytes, amounts[i]);
        iperf_kit_all_free(kit, 2);
    }
}

static void a_duration_ends_a_tcp_test(void **state) {
    struct kit *kit = *state;

    iperf_kit_serve();
    iperf_kit_call((struct nd_iperf_client_cfg){.duration_ns = 50000000});
    kit_run(kit);
    const struct nd_report *tx = iperf_kit_find(kit, "client", "tx");
    assert_in_range(nd_span_elapsed(&tx->flow.tx), 49000, 50010);
    assert_int_equal(tx->flow.tx.bytes, iperf_kit_find(kit, "server", "rx")->flow.rx.bytes);
}

static void reverse_lets_the_server_send(void **state) {
    struct kit *kit = *state;

    iperf_kit_serve();
    iperf_kit_call((struct nd_iperf_client_cfg){.bytes = 100001, .reverse = true});
    kit_run(kit);
    assert_int_equal(iperf_kit_find(kit, "server", "tx")->flow.tx.bytes, 100001);
    assert_int_equal(iperf_kit_find(kit, "server", "tx")->flow.rx.bytes, 0);
    assert_int_equal(iperf_kit_find(kit, "client", "rx")->flow.rx.bytes, 100001);
    iperf_kit_all_free(kit, 2);
}

static void full_duplex_uses_one_connection_for_both(void **state) {
    struct kit *kit = *state;

    iperf_kit_serve();
    iperf_kit_call((struct nd_iperf_client_cfg){.bytes = 100001, .duplex = true});
    kit_run(kit);
    const struct nd_report *server = iperf_kit_find(kit, "server", "duplex");
    const struct nd_report *client = iperf_kit_find(kit, "client", "duplex");
    assert_int_equal(server->flow.rx.bytes, 100001);
    assert_int_equal(server->flow.tx.bytes, 100001);
    assert_int_equal(client->flow.rx.bytes, 100001);
    assert_int_equal(client->flow.tx.bytes, 100001);
    iperf_kit_all_free(kit, 2);
}

static void a_test_back_comes_at_once_or_afterwards(void **state) {
    struct kit *kit = *state;

    iperf_kit_serve();
    for (unsigned after = 0; after < 2; after++) {
        kit->report_count = 0;
        iperf_kit_call(
            (struct nd_iperf_client_cfg){.bytes = 50000, .dual = !after, .tradeoff = after});
        kit_run(kit);
        assert_int_equal(kit->report_count, 4);
        assert_int_equal(iperf_kit_find(kit, "client", "tx")->flow.tx.bytes, 50000);
        assert_int_equal(iperf_kit_find(kit, "server", "tx")->flow.tx.bytes, 50000);
        assert_int_equal(iperf_kit_count(kit, "server", "rx"), 2);
        iperf_kit_all_free(kit, 2);
    }
}

static void a_test_back_waits_for_its_listener(void **state) {
    struct kit *kit = *state;
    struct nd_addr at = kit_addr(5003);
    struct nd_conn *listener;

    iperf_kit_serve();
    iperf_kit_call((struct nd_iperf_client_cfg){.bytes = 50000, .dual = true, .listen_port = 5003});
    kit_run_for(kit, 200000);
    assert_int_equal(iperf_kit_count(kit, "server", "tx"), 0);
    assert_int_equal(port->listen(&kit->loop, &at, &listener), ND_OK);
    kit_run_for(kit, 200000);
    struct nd_conn *conn;
    assert_int_equal(port->accept(listener, &conn), ND_OK);
    port->close(conn);
    port->close(listener);
    kit_run_for(kit, 2000000);
    iperf_kit_all_free(kit, 2);
}

static void parallel_streams_each_have_a_place_and_a_report(void **state) {
    struct kit *kit = *state;

    iperf_kit_serve();
    struct nd_iperf_client_cfg cfg = {.to = kit_addr(ND_IPERF_PORT), .bytes = 5000, .parallel = 2};
    assert_int_equal(nd_iperf_connect(&iperf_kit, &cfg), ND_OK);
    kit_run(kit);
    assert_int_equal(iperf_kit_count(kit, "client", "tx"), 2);
    assert_int_equal(iperf_kit_count(kit, "server", "rx"), 2);
    assert_int_equal(iperf_kit_find(kit, "client", "tx")->flow.tx.bytes, 5000);
    assert_int_not_equal(iperf_kit_find(kit, "client", "tx")->stream, 0);
    cfg.parallel = IPERF_KIT_PLACES + 1;
    assert_int_equal(nd_iperf_connect(&iperf_kit, &cfg), ND_E_FULL);
    iperf_kit_all_free(kit, 2);
}

static void intervals_add_up_to_the_whole(void **state) {
    struct kit *kit = *state;
    uint64_t rx = 0;
    uint64_t tx = 0;

    iperf_kit_serve_with((struct nd_iperf_server_cfg){.interval_ns = 10000000});
    iperf_kit_call((struct nd_iperf_client_cfg){
        .duration_ns = 60000000, .interval_ns = 20000000, .len = 1000, .bit_s = 100000000});
    kit_run_for(kit, 80000);
    for (unsigned i = 0; i < kit->report_count; i++) {
        const struct nd_report *report = &kit->reports[i].report;
        rx += report->interval ? report->flow.rx.bytes : 0;
        tx += report->interval ? report->flow.tx.bytes : 0;
        assert_true(report->end > report->begin);
    }
    assert_int_equal(tx, iperf_kit_find(kit, "client", "tx")->flow.tx.bytes);
    assert_int_equal(rx, iperf_kit_find(kit, "server", "rx")->flow.rx.bytes);
    assert_int_equal(kit->report_count, 2 + 3 + 6);
    /* 100 Mbit/s for 60 ms */
    assert_in_range(tx, 750000 - 2000, 750000 + 2000);
}

static void a_connection_that_says_nothing_is_reported_short(void **state) {
    struct kit *kit = *state;

    iperf_kit_serve();
    struct nd_conn *peer = kit_dial(kit, ND_IPERF_PORT);
    port->end(peer);
    kit_run(kit);
    assert_int_equal(kit_last(kit)->result, ND_E_SHORT);
    port->close(peer);
    kit_run(kit);
    iperf_kit_all_free(kit, 2);
}

static void data_without_a_header_are_counted_byte_by_byte(void **state) {
    struct kit *kit = *state;

    iperf_kit_serve();
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

    iperf_kit_serve();
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

    iperf_kit_serve();
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
    iperf_kit_all_free(kit, 2);
}

static void a_caller_that_breaks_off_frees_its_place_in_every_phase(void **state) {
    struct kit *kit = *state;
    static const uint8_t head[60] = {0x44, 0x01, 0x00, 0x78, [32] = 0x04};

    iperf_kit_serve();
    for (uint32_t sent = 0; sent <= sizeof head; sent += 20) {
        struct nd_conn *peer = kit_dial(kit, ND_IPERF_PORT);
        if (sent > 0) {
            assert_int_equal(port->tx(peer, head, sent, 0), sent);
        }
        kit_run_for(kit, 1000);
        port->close(peer);
        kit_run(kit);
        assert_int_equal(kit_last(kit)->result, ND_E_RESET);
        iperf_kit_all_free(kit, 2);
    }
}

static void the_owners_limits_bind_what_strangers_ask_for(void **state) {
    struct kit *kit = *state;

    iperf_kit_serve_with(
        (struct nd_iperf_server_cfg){.limits = {.max_seconds = 1, .max_bit_s = 1000000}});
    iperf_kit_call(
        (struct nd_iperf_client_cfg){.duration_ns = 5000000000, .reverse = true, .len = 1000});
    kit_run_for(kit, 1200000);
    const struct nd_report *tx = iperf_kit_find(kit, "server", "tx");
    assert_in_range(tx->flow.tx.bytes, 124000, 126000);
    assert_in_range(nd_span_elapsed(&tx->flow.tx), 990000, 1000100);

    kit->report_count = 0;
    iperf_kit_call(
        (struct nd_iperf_client_cfg){.duration_ns = 5000000000, .len = 1000, .bit_s = 1000000});
    kit_run_for(kit, 1200000);
    assert_int_equal(iperf_kit_find(kit, "server", "rx")->result, ND_E_STOPPED);
    iperf_kit_all_free(kit, 2);
}

/* ---- life ----------------------------------------------------------------------------- */

static void stop_ends_every_test_and_the_server_stays(void **state) {
    struct kit *kit = *state;

    iperf_kit_serve();
    iperf_kit_call((struct nd_iperf_client_cfg){.bit_s = 1000000, .len = 1000});
    iperf_kit_call((struct nd_iperf_client_cfg){.udp = true});
    kit_run_for(kit, 10000);
    nd_agent_stop_tests(&kit->agent);
    kit_run_for(kit, 1000);
    iperf_kit_all_free(kit, 2);
    assert_int_equal(kit->report_count, 4);
    nd_iperf_close(&iperf_kit);
    assert_int_equal(kit_used(kit), 0);
}

static void fifty_tests_leave_nothing_behind(void **state) {
    struct kit *kit = *state;

    iperf_kit_serve();
    for (unsigned i = 0; i < 50; i++) {
        kit->report_count = 0;
        iperf_kit_call((struct nd_iperf_client_cfg){.udp = i % 5 == 4,
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
        iperf_kit_all_free(kit, 2);
    }
}

static void the_command_serves_and_calls(void **state) {
    struct kit *kit = *state;
    static struct nd_command command;

    nd_iperf_command(&command, &iperf_kit);
    nd_console_add(&kit->console, &command);
    assert_string_equal(kit_type(kit, "iperf -s -u\n"), "iperf listen port:5001 udp\n");
    assert_non_null(strstr(kit_type(kit, "iperf -s\n"), "there already"));
    assert_string_equal(kit_type(kit, "iperf -c 10.0.0.1 -u -n 10K -l1K -b 100M -P 2\n"),
                        "iperf connect 10.0.0.1 port:5001 udp\n");
    kit_run_for(kit, 100000);
    assert_int_equal(iperf_kit_count(kit, "server", "rx"), 2);
    assert_int_equal(iperf_kit_find(kit, "server", "rx")->flow.rx.bytes, 10240);
    assert_int_equal(iperf_kit_find(kit, "client", "tx")->tx_datagrams, 10);
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

    nd_iperf_command(&command, &iperf_kit);
    nd_console_add(&kit->console, &command);
    for (unsigned i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        assert_non_null(strstr(kit_type(kit, lines[i]), "error: arg: "));
    }
    iperf_kit_all_free(kit, 0);
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
        IPERF_TEST(stop_ends_every_test_and_the_server_stays),
        IPERF_TEST(fifty_tests_leave_nothing_behind),
        IPERF_TEST(the_command_serves_and_calls),
        IPERF_TEST(the_command_names_what_is_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

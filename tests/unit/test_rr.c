/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_kit.h"

#include <string.h>

#include "nd/datagram.h"
#include "nd/echo.h"
#include "nd/rr.h"

static const struct nd_port *const port = &nd_port_loop;

static struct nd_rr rr;
static struct nd_hist latency;
static uint32_t buckets[ND_HIST_BUCKETS(7)];
static struct nd_datagram_server udp_echo;
static struct nd_stream_server tcp_echo;
static struct nd_stream_conn conns[2];

static int setup(void **state) {
    int result = kit_setup(state);
    struct kit *kit = *state;
    struct nd_addr at = kit_addr(7);

    memset(&rr, 0, sizeof rr);
    nd_hist_init(&latency, buckets, 7);
    assert_int_equal(nd_datagram_serve(&udp_echo, &kit->agent, ND_DATAGRAM_ECHO, &at), ND_OK);
    assert_int_equal(nd_echo_serve(&tcp_echo, &kit->agent, &at, conns, 2), ND_OK);
    return result;
}

#define RR_TEST(test) cmocka_unit_test_setup_teardown(test, setup, kit_teardown)

static void start(struct kit *kit, struct nd_rr_cfg cfg) {
    cfg.to = kit_addr(7);
    cfg.latency = &latency;
    assert_int_equal(nd_rr_start(&rr, &kit->agent, &cfg), ND_OK);
}

/* The report of rr, among those of the echo service. */
static const struct nd_report *find(const struct kit *kit) {
    for (unsigned i = 0; i < kit->report_count; i++) {
        if (strcmp(kit->reports[i].report.engine, "rr") == 0) {
            return &kit->reports[i].report;
        }
    }
    fail_msg("no report of rr");
    return NULL;
}

static void round_trips_over_tcp_are_counted_and_timed(void **state) {
    struct kit *kit = *state;

    start(kit, (struct nd_rr_cfg){.count = 100, .bytes = 200});
    kit_run(kit);
    const struct nd_report *report = find(kit);
    assert_int_equal(report->result, ND_OK);
    assert_int_equal(report->round_trips, 100);
    assert_int_equal(report->flow.tx.bytes, 20000);
    assert_int_equal(report->flow.rx.bytes, 20000);
    assert_null(report->datagrams);
    assert_int_equal(latency.count, 100);
    assert_true(latency.min >= 10000 && latency.max <= 100000);
}

static void round_trips_over_udp_are_counted_and_timed(void **state) {
    struct kit *kit = *state;

    start(kit, (struct nd_rr_cfg){.udp = true, .count = 100});
    kit_run_for(kit, 100000);
    const struct nd_report *report = find(kit);
    assert_int_equal(report->result, ND_OK);
    assert_int_equal(report->round_trips, 100);
    assert_int_equal(report->datagrams->lost, 0);
    assert_int_equal(report->datagrams->expected, 100);
    assert_int_equal(latency.count, 100);
}

static void every_round_trip_may_have_a_connection_of_its_own(void **state) {
    struct kit *kit = *state;

    start(kit, (struct nd_rr_cfg){.connect = true, .count = 20});
    kit_run(kit);
    const struct nd_report *report = find(kit);
    assert_int_equal(report->result, ND_OK);
    assert_string_equal(report->phase, "connect");
    assert_int_equal(report->round_trips, 20);
    assert_int_equal(tcp_echo.service.taken, 20);
    assert_int_equal(latency.count, 20);
    assert_int_equal(kit_used(kit), 2);
}

static unsigned tx_calls;

static int32_t udp_tx_loses_every_tenth(struct nd_conn *socket, const struct nd_addr *to,
                                        const void *bytes, uint32_t len, unsigned flags) {
    return ++tx_calls % 10 == 0 ? (int32_t)len : port->udp_tx(socket, to, bytes, len, flags);
}

static void a_lost_answer_is_counted_and_the_test_goes_on(void **state) {
    struct kit *kit = *state;
    struct nd_port lossy = nd_port_loop;

    tx_calls = 0;
    lossy.udp_tx = udp_tx_loses_every_tenth;
    kit->agent.cfg.port = &lossy;
    start(kit, (struct nd_rr_cfg){.udp = true, .count = 50, .timeout_ms = 20});
    kit_run_for(kit, 1000000);
    const struct nd_report *report = find(kit);
    assert_int_equal(report->result, ND_OK);
    assert_int_equal(report->datagrams->expected, 50);
    assert_int_equal(report->datagrams->lost, tx_calls / 10);
    assert_int_equal(report->round_trips, 50 - tx_calls / 10);
    kit->agent.cfg.port = port;
}

static void nobody_there_is_a_failure(void **state) {
    struct kit *kit = *state;

    nd_datagram_close(&udp_echo);
    start(kit, (struct nd_rr_cfg){.udp = true, .count = 3, .timeout_ms = 20});
    kit_run_for(kit, 100000);
    assert_int_equal(find(kit)->result, ND_E_TIMEOUT);
    assert_int_equal(find(kit)->datagrams->lost, 3);
}

static void an_answer_after_its_time_is_late_not_counted_again(void **state) {
    struct kit *kit = *state;
    struct nd_addr at = kit_addr(7);
    struct nd_conn *peer;
    struct nd_addr from;
    const void *bytes;
    uint8_t copy[64];

    nd_datagram_close(&udp_echo);
    assert_int_equal(port->udp_open(&kit->loop, &at, &peer), ND_OK);
    start(kit, (struct nd_rr_cfg){.udp = true, .count = 2, .timeout_ms = 20});
    kit_run_for(kit, 30000);
    for (unsigned i = 0; i < 2; i++) { /* the first comes too late, the second in time */
        assert_int_equal(port->udp_rx(peer, &from, &bytes), 64);
        memcpy(copy, bytes, sizeof copy);
        port->rx_done(peer, 64);
        assert_int_equal(port->udp_tx(peer, &from, copy, sizeof copy, 0), sizeof copy);
    }
    kit_run_for(kit, 50000);
    assert_int_equal(find(kit)->datagrams->lost, 1);
    assert_int_equal(find(kit)->datagrams->late, 1);
    assert_int_equal(find(kit)->round_trips, 1);
    port->close(peer);
}

static void a_slow_rhythm_is_kept(void **state) {
    struct kit *kit = *state;

    start(kit, (struct nd_rr_cfg){.udp = true, .duration_ns = 1000000000, .period_ns = 10000000});
    kit_run_for(kit, 1100000);
    assert_int_equal(find(kit)->round_trips, 100); /* 100 a second */
}

static void the_command_runs_a_test(void **state) {
    struct kit *kit = *state;
    static struct nd_command command;
    static struct nd_rr_console console;

    nd_rr_command(&command, &console);
    nd_console_add(&kit->console, &command);
    kit_type(kit, "rr -u -n 10 -l 100 10.0.0.1\n");
    kit_run_for(kit, 100000);
    assert_int_equal(find(kit)->round_trips, 10);
    assert_non_null(strstr(kit_read(kit), "p50/p90/p99/max"));
    assert_non_null(strstr(kit_type(kit, "rr -u -C 10.0.0.1\n"), "one of -u, -C"));
    assert_non_null(strstr(kit_type(kit, "rr\n"), "expected a HOST"));
    assert_non_null(strstr(kit_type(kit, "rr -u -l 7 10.0.0.1\n"), "error: arg"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RR_TEST(round_trips_over_tcp_are_counted_and_timed),
        RR_TEST(round_trips_over_udp_are_counted_and_timed),
        RR_TEST(every_round_trip_may_have_a_connection_of_its_own),
        RR_TEST(a_lost_answer_is_counted_and_the_test_goes_on),
        RR_TEST(nobody_there_is_a_failure),
        RR_TEST(an_answer_after_its_time_is_late_not_counted_again),
        RR_TEST(a_slow_rhythm_is_kept),
        RR_TEST(the_command_runs_a_test),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

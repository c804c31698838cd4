/* SPDX-License-Identifier: BSD-3-Clause */
/* The client of chargen, against the servers of the same agent and against a hand-made one. */
#include "engine_kit.h"

#include <string.h>

#include "nd/chargen.h"
#include "nd/datagram.h"

#define PLACES 2

static const struct nd_port *const port = &nd_port_loop;
static struct nd_stream_server server;
static struct nd_stream_conn places[PLACES];
static struct nd_chargen_client client;

/* The client's report. */
static const struct nd_report *told(const struct kit *kit) {
    for (unsigned i = 0; i < kit->report_count; i++) {
        if (strcmp(kit->reports[i].report.role, "client") == 0) {
            return &kit->reports[i].report;
        }
    }
    fail_msg("the client reported nothing");
    return NULL;
}

static void start(struct kit *kit, const struct nd_chargen_client_cfg *cfg) {
    client = (struct nd_chargen_client){0};
    assert_int_equal(nd_chargen_connect(&client, &kit->agent, cfg), ND_OK);
}

static void serve(struct kit *kit) {
    struct nd_addr at = kit_addr(19);

    assert_int_equal(nd_chargen_serve(&server, &kit->agent, &at, places, PLACES), ND_OK);
}

static void takes_exactly_so_many_bytes_and_hangs_up(void **state) {
    struct kit *kit = *state;
    const struct nd_chargen_client_cfg cfg = {.to = kit_addr(19), .count = 100001};

    serve(kit);
    start(kit, &cfg);
    kit_run(kit);
    assert_int_equal(told(kit)->result, ND_OK);
    assert_int_equal(told(kit)->flow.rx.bytes, 100001);
    assert_int_equal(told(kit)->flow.tx.bytes, 0);
    assert_int_equal(client.session.number, 0);
}

static void takes_for_a_time(void **state) {
    struct kit *kit = *state;
    const struct nd_chargen_client_cfg cfg = {.to = kit_addr(19), .duration_ns = 50000000};

    serve(kit);
    start(kit, &cfg);
    kit_run(kit);
    assert_int_equal(told(kit)->result, ND_OK);
    assert_true(told(kit)->flow.rx.bytes > 0);
    assert_in_range(told(kit)->end - told(kit)->begin, 50000, 51000);
}

static void a_server_that_hangs_up_early_is_told(void **state) {
    struct kit *kit = *state;
    const struct nd_chargen_client_cfg cfg = {.to = kit_addr(19), .count = 100};
    struct nd_addr at = kit_addr(19);
    struct nd_conn *listener;
    struct nd_conn *peer;

    assert_int_equal(port->listen(&kit->loop, &at, &listener), ND_OK);
    start(kit, &cfg);
    kit_run(kit);
    assert_int_equal(port->accept(listener, &peer), ND_OK);
    assert_int_equal(port->tx(peer, "0123456789", 10, 0), 10);
    port->end(peer);
    kit_run(kit);
    assert_int_equal(told(kit)->result, ND_E_SHORT);
    assert_int_equal(told(kit)->flow.rx.bytes, 10);
    port->close(peer);
    port->close(listener);
}

static void counts_answers_to_datagrams(void **state) {
    struct kit *kit = *state;
    static struct nd_datagram_server datagrams;
    struct nd_addr at = kit_addr(19);
    const struct nd_chargen_client_cfg cfg = {
        .to = at, .udp = true, .count = 20, .request_bytes = 100};

    assert_int_equal(nd_datagram_serve(&datagrams, &kit->agent, ND_DATAGRAM_CHARGEN, &at), ND_OK);
    start(kit, &cfg);
    kit_run_for(kit, 10000);
    assert_int_equal(told(kit)->result, ND_OK);
    assert_int_equal(told(kit)->tx_datagrams, 20);
    assert_int_equal(told(kit)->flow.rx.bytes, 2000);
    assert_int_equal(kit->reports[0].datagrams.datagrams, 20);
    assert_int_equal(kit->reports[0].datagrams.lost, 0);
    nd_datagram_close(&datagrams);
}

static void an_answer_that_does_not_come_is_lost_and_the_test_goes_on(void **state) {
    struct kit *kit = *state;
    struct nd_addr at = kit_addr(19);
    const struct nd_chargen_client_cfg cfg = {.to = at, .udp = true, .count = 2};
    struct nd_conn *peer;
    struct nd_addr from;
    const void *bytes;
    int32_t n;

    assert_int_equal(port->udp_open(&kit->loop, &at, &peer), ND_OK);
    start(kit, &cfg);
    kit_run_for(kit, ND_CHARGEN_TIMEOUT_MS * 1000 + 1000);
    for (unsigned i = 0; i < 2; i++) {
        n = port->udp_rx(peer, &from, &bytes);
        assert_int_equal(n, ND_CHARGEN_REQUEST_BYTES);
        port->rx_done(peer, (uint32_t)n);
    }
    assert_int_equal(port->udp_tx(peer, &from, "abc", 3, 0), 3);
    kit_run_for(kit, 1000);
    assert_int_equal(told(kit)->result, ND_OK);
    assert_int_equal(kit->reports[0].datagrams.lost, 1);
    assert_int_equal(kit->reports[0].datagrams.datagrams, 1);
    assert_int_equal(told(kit)->flow.rx.bytes, 3);
    port->close(peer);
}

static void nobody_answers(void **state) {
    struct kit *kit = *state;
    const struct nd_chargen_client_cfg cfg = {.to = kit_addr(19), .udp = true, .count = 1};

    start(kit, &cfg);
    kit_run_for(kit, ND_CHARGEN_TIMEOUT_MS * 1000 + 1000);
    assert_int_equal(told(kit)->result, ND_E_TIMEOUT);
}

static void a_request_beyond_the_pattern_is_refused(void **state) {
    struct kit *kit = *state;
    const struct nd_chargen_client_cfg cfg = {
        .to = kit_addr(19), .udp = true, .request_bytes = ND_CHARGEN_REQUEST_MAX + 1};

    client = (struct nd_chargen_client){0};
    assert_int_equal(nd_chargen_connect(&client, &kit->agent, &cfg), ND_E_ARG);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KIT_TEST(takes_exactly_so_many_bytes_and_hangs_up),
        KIT_TEST(takes_for_a_time),
        KIT_TEST(a_server_that_hangs_up_early_is_told),
        KIT_TEST(counts_answers_to_datagrams),
        KIT_TEST(an_answer_that_does_not_come_is_lost_and_the_test_goes_on),
        KIT_TEST(nobody_answers),
        KIT_TEST(a_request_beyond_the_pattern_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

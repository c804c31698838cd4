/* SPDX-License-Identifier: BSD-3-Clause */
/* The small servers (echo, discard, chargen) and the client that times echoes. */
#include "engine_kit.h"

#include <string.h>

#include "nd/chargen.h"
#include "nd/discard.h"
#include "nd/echo.h"

#define PLACES 3

static const struct nd_port *const port = &nd_port_loop;
static struct nd_stream_server server;
static struct nd_stream_conn places[PLACES];

static void serve_echo(struct kit *kit) {
    struct nd_addr at = kit_addr(7);

    assert_int_equal(nd_echo_serve(&server, &kit->agent, &at, places, PLACES), ND_OK);
}

static void echo_returns_every_byte_and_ends_when_the_caller_does(void **state) {
    struct kit *kit = *state;
    const void *bytes;

    serve_echo(kit);
    struct nd_conn *peer = kit_dial(kit, 7);
    assert_int_equal(port->tx(peer, "hello", 5, 0), 5);
    kit_run(kit);
    assert_int_equal(port->rx(peer, &bytes), 5);
    assert_memory_equal(bytes, "hello", 5);
    port->rx_done(peer, 5);
    port->end(peer);
    kit_run(kit);
    assert_int_equal(port->rx(peer, &bytes), ND_EOF);
    kit_run(kit);
    assert_int_equal(kit_last(kit)->result, ND_OK);
    assert_int_equal(kit_last(kit)->flow.rx.bytes, 5);
    assert_int_equal(kit_last(kit)->flow.tx.bytes, 5);
    port->close(peer);
}

static void a_full_server_lets_the_next_caller_wait_until_a_place_is_free(void **state) {
    struct kit *kit = *state;
    struct nd_conn *callers[PLACES + 1];

    serve_echo(kit);
    for (unsigned i = 0; i < PLACES + 1; i++) {
        struct nd_addr to = kit_addr(7);
        assert_int_equal(port->connect(&kit->loop, &to, &callers[i]), ND_OK);
        kit_run(kit);
    }
    assert_int_equal(server.service.taken, PLACES);
    port->close(callers[0]);
    kit_run(kit);
    assert_int_equal(server.service.taken, PLACES + 1);
    for (unsigned i = 1; i < PLACES + 1; i++) {
        port->close(callers[i]);
    }
}

/* A caller that sends and never reads must not make the server run in circles or lose a byte. */
static void echo_stops_reading_while_its_caller_does(void **state) {
    struct kit *kit = *state;
    static char flood[4 * KIT_RING_BYTES];
    uint32_t sent = 0;
    uint32_t back = 0;
    const void *bytes;
    int32_t n;

    serve_echo(kit);
    for (uint32_t i = 0; i < sizeof flood; i++) {
        flood[i] = (char)(i % 251);
    }
    struct nd_conn *peer = kit_dial(kit, 7);
    while ((n = port->tx(peer, flood + sent, (uint32_t)sizeof flood - sent, 0)) > 0) {
        sent += (uint32_t)n;
        kit_run(kit);
    }
    assert_int_equal(n, ND_AGAIN);
    assert_true(sent < sizeof flood);
    while (back < sent) {
        n = port->rx(peer, &bytes);
        if (n > 0) {
            assert_memory_equal(bytes, flood + back, (size_t)n);
            port->rx_done(peer, (uint32_t)n);
            back += (uint32_t)n;
        }
        kit_run(kit);
    }
    port->close(peer);
}

static void discard_takes_everything_and_answers_nothing(void **state) {
    struct kit *kit = *state;
    struct nd_addr at = kit_addr(9);
    const void *bytes;

    assert_int_equal(nd_discard_serve(&server, &kit->agent, &at, places, PLACES), ND_OK);
    struct nd_conn *peer = kit_dial(kit, 9);
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(port->tx(peer, "0123456789", 10, 0), 10);
        kit_run(kit);
    }
    assert_int_equal(port->rx(peer, &bytes), ND_AGAIN);
    port->end(peer);
    kit_run(kit);
    assert_int_equal(port->rx(peer, &bytes), ND_EOF);
    kit_run(kit);
    assert_int_equal(kit_last(kit)->flow.rx.bytes, 1000);
    assert_int_equal(kit_last(kit)->result, ND_OK);
    port->close(peer);
}

/* RFC 864: line n holds 72 characters beginning with the n-th of the 95 printable ones. */
static char chargen_at(uint32_t position) {
    uint32_t line = position / 74;
    uint32_t column = position % 74;

    if (column >= 72) {
        return column == 72 ? '\r' : '\n';
    }
    return (char)(' ' + (line + column) % 95);
}

static void chargen_sends_the_lines_of_rfc_864_without_a_seam(void **state) {
    struct kit *kit = *state;
    struct nd_addr at = kit_addr(19);
    uint32_t position = 0;
    const void *bytes;

    assert_int_equal(nd_chargen_serve(&server, &kit->agent, &at, places, PLACES), ND_OK);
    struct nd_conn *peer = kit_dial(kit, 19);
    while (position < 20000) {
        int32_t n = port->rx(peer, &bytes);
        if (n > 0) {
            uint32_t part = n > 777 ? 777 : (uint32_t)n;
            for (uint32_t i = 0; i < part; i++) {
                assert_int_equal(((const char *)bytes)[i], chargen_at(position + i));
            }
            port->rx_done(peer, part);
            position += part;
        }
        kit_run(kit);
    }
    port->close(peer);
    kit_run(kit);
    assert_int_equal(kit_last(kit)->result, ND_E_RESET);
}

static void a_client_times_every_round_trip(void **state) {
    struct kit *kit = *state;
    static struct nd_echo_client client;
    static uint32_t buckets[ND_HIST_BUCKETS(7)];
    struct nd_hist latency;
    struct nd_echo_client_cfg cfg = {
        .to = kit_addr(7), .bytes = 1024, .messages = 200, .latency = &latency};

    serve_echo(kit);
    nd_hist_init(&latency, buckets, 7);
    assert_int_equal(nd_echo_connect(&client, &kit->agent, &cfg), ND_OK);
    kit_run(kit);
    const struct nd_report *report = NULL;
    for (unsigned i = 0; i < kit->report_count; i++) {
        if (strcmp(kit->reports[i].report.role, "client") == 0) {
            report = &kit->reports[i].report;
        }
    }
    assert_non_null(report);
    assert_int_equal(report->result, ND_OK);
    assert_int_equal(report->flow.rx.bytes, 200 * 1024);
    assert_int_equal(latency.count, 200);
    assert_true(latency.min >= 10000); /* at least one poll of 10 us */
    assert_true(latency.max <= 100000);
}

static void a_changed_byte_ends_the_client_with_a_protocol_error(void **state) {
    struct kit *kit = *state;
    static struct nd_echo_client client;
    struct nd_addr at = kit_addr(7);
    struct nd_echo_client_cfg cfg = {.to = at, .bytes = 4, .messages = 1};
    struct nd_conn *listener;
    struct nd_conn *peer;

    assert_int_equal(port->listen(&kit->loop, &at, &listener), ND_OK);
    assert_int_equal(nd_echo_connect(&client, &kit->agent, &cfg), ND_OK);
    kit_run(kit);
    assert_int_equal(port->accept(listener, &peer), ND_OK);
    kit_run(kit);
    assert_int_equal(port->tx(peer, " !\"x", 4, 0), 4);
    kit_run(kit);
    assert_int_equal(kit_last(kit)->result, ND_E_PROTOCOL);
    port->close(peer);
    port->close(listener);
    assert_int_equal(kit_used(kit), 0);
}

static void a_client_refuses_messages_of_no_or_too_many_bytes(void **state) {
    struct kit *kit = *state;
    static struct nd_echo_client client;
    struct nd_echo_client_cfg cfg = {.to = kit_addr(7), .bytes = 0, .messages = 1};

    assert_int_equal(nd_echo_connect(&client, &kit->agent, &cfg), ND_E_ARG);
    cfg.bytes = ND_ECHO_MESSAGE_BYTES + 1;
    assert_int_equal(nd_echo_connect(&client, &kit->agent, &cfg), ND_E_ARG);
    cfg.bytes = 1;
    cfg.messages = 0;
    assert_int_equal(nd_echo_connect(&client, &kit->agent, &cfg), ND_E_ARG);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KIT_TEST(echo_returns_every_byte_and_ends_when_the_caller_does),
        KIT_TEST(a_full_server_lets_the_next_caller_wait_until_a_place_is_free),
        KIT_TEST(echo_stops_reading_while_its_caller_does),
        KIT_TEST(discard_takes_everything_and_answers_nothing),
        KIT_TEST(chargen_sends_the_lines_of_rfc_864_without_a_seam),
        KIT_TEST(a_client_times_every_round_trip),
        KIT_TEST(a_changed_byte_ends_the_client_with_a_protocol_error),
        KIT_TEST(a_client_refuses_messages_of_no_or_too_many_bytes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

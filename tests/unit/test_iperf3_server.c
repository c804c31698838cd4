/* SPDX-License-Identifier: BSD-3-Clause */
/* The server of iperf 3 against clients made by hand: slow, hostile, vanishing. */
#include "engine_kit.h"

#include <string.h>

#include "iperf3_pair.h"

static const struct nd_port *const port = &nd_port_loop;

static const char cookie[] = "abcdefghijklmnopqrstuvwxyz234567abcd";
static const char tcp_params[] =
    "{\"tcp\":true,\"omit\":0,\"time\":1,\"num\":0,\"blockcount\":0,\"parallel\":1,\"len\":1000}";
static const char udp_params[] =
    "{\"udp\":true,\"omit\":0,\"time\":1,\"num\":0,\"blockcount\":0,\"parallel\":1,\"len\":1000,"
    "\"bandwidth\":1000000,\"reverse\":true}";
static const char results[] =
    "{\"cpu_util_total\":0,\"cpu_util_user\":0,\"cpu_util_system\":0,\"sender_has_retransmits\":-1,"
    "\"streams\":[{\"id\":1,\"bytes\":0,\"retransmits\":-1,\"jitter\":0,\"errors\":0,\"packets\":0,"
    "\"start_time\":0,\"end_time\":1}]}";

static struct nd_conn *control; /* NULL once it is hung up */
static struct nd_conn *data;

static void say_to(struct kit *kit, struct nd_conn *conn, const void *bytes, size_t len) {
    for (size_t at = 0; at < len;) {
        int32_t n = port->tx(conn, (const char *)bytes + at, (uint32_t)(len - at), 0);
        if (n < 0 && n != ND_AGAIN) { /* hung up on: the test finds out */
            return;
        }
        at += n > 0 ? (size_t)n : 0;
        kit_run(kit);
    }
}

static void say(struct kit *kit, const void *bytes, size_t len) {
    say_to(kit, control, bytes, len);
}

static void say_word(struct kit *kit, int word) {
    char byte = (char)word;

    say(kit, &byte, 1);
}

/* A JSON text with its length in front. */
static size_t with_length(char *out, const char *text) {
    size_t len = strlen(text);

    memcpy(out, (char[]){0, 0, (char)(len >> 8), (char)len}, 4);
    memcpy(out + 4, text, len);
    return len + 4;
}

static void say_text(struct kit *kit, const char *text) {
    char message[1024];

    say(kit, message, with_length(message, text));
}

/* The next byte that the server said on this connection, or the port's answer. */
static int hear_on(struct nd_conn *conn) {
    const void *bytes;
    int32_t n = port->rx(conn, &bytes);

    if (n < 0) {
        return 1000 + n;
    }
    int word = *(const int8_t *)bytes;
    port->rx_done(conn, 1);
    return word;
}

static void expect(struct kit *kit, int word) {
    kit_run(kit);
    assert_int_equal(hear_on(control), word);
}

/* Read the server's results away. */
static void expect_results(struct kit *kit) {
    uint32_t len = 0;

    kit_run(kit);
    for (int i = 0; i < 4; i++) {
        len = len << 8 | (uint8_t)hear_on(control);
    }
    assert_in_range(len, 100, 508);
    for (uint32_t i = 0; i < len; i++) {
        assert_in_range(hear_on(control), 0x20, 0x7E);
    }
}

/* ---- a client that goes as far as told ----------------------------------------------------- */

enum stage {
    AT_CONNECT,
    AT_HALF_COOKIE,
    AT_COOKIE,
    AT_HALF_PARAMS,
    AT_PARAMS,
    AT_STREAMS,
    AT_END,
    AT_SETTLED,
    AT_HALF_RESULTS,
    AT_RESULTS,
    AT_DONE,
    STAGES
};

static void go_to(struct kit *kit, enum stage stage) {
    char message[1024];

    data = NULL;
    control = kit_dial(kit, ND_IPERF3_PORT);
    if (stage >= AT_HALF_COOKIE) {
        say(kit, cookie, 20);
    }
    if (stage >= AT_COOKIE) {
        say(kit, cookie + 20, sizeof cookie - 20);
        expect(kit, 9);
    }
    size_t len = with_length(message, tcp_params);
    if (stage >= AT_HALF_PARAMS) {
        say(kit, message, len / 2);
    }
    if (stage >= AT_PARAMS) {
        say(kit, message + len / 2, len - len / 2);
        expect(kit, 10);
    }
    if (stage >= AT_STREAMS) {
        data = kit_dial(kit, ND_IPERF3_PORT);
        say_to(kit, data, cookie, sizeof cookie);
        expect(kit, 1);
        expect(kit, 2);
        say_to(kit, data, "0123456789", 10);
    }
    if (stage >= AT_END) {
        say_word(kit, 4);
    }
    if (stage >= AT_SETTLED) {
        pair_pass(kit, 200000);
        expect(kit, 13);
    }
    len = with_length(message, results);
    if (stage >= AT_HALF_RESULTS) {
        say(kit, message, len / 2);
    }
    if (stage >= AT_RESULTS) {
        say(kit, message + len / 2, len - len / 2);
        expect_results(kit);
        expect(kit, 14);
    }
    if (stage >= AT_DONE) {
        say_word(kit, 16);
    }
}

static void hang_up(struct kit *kit, bool in_order) {
    if (in_order) {
        port->end(control);
        kit_run(kit);
    }
    port->close(control);
    if (data != NULL) {
        port->close(data);
    }
    kit_run(kit);
}

static void the_server_works(struct kit *kit) {
    pair_test(kit, &(struct nd_iperf3_params){.blocks = 3});
    assert_int_equal(pair_report("client")->result, ND_OK);
    assert_int_equal(pair_report("server")->result, ND_OK);
    assert_int_equal(kit_used(kit), 1);
}

static void a_whole_test_by_hand_is_counted_exactly(void **state) {
    struct kit *kit = *state;

    pair_serve(kit, NULL);
    go_to(kit, AT_DONE);
    assert_int_equal(pair_report("server")->result, ND_OK);
    assert_int_equal(pair_report("server")->flow.rx.bytes, 10);
    hang_up(kit, true);
    the_server_works(kit);
}

static void a_client_that_vanishes_in_any_stage_leaves_the_server_ready(void **state) {
    struct kit *kit = *state;

    pair_serve(kit, NULL);
    for (int stage = AT_CONNECT; stage < STAGES; stage++) {
        for (int in_order = 0; in_order < 2; in_order++) {
            go_to(kit, (enum stage)stage);
            hang_up(kit, in_order != 0);
            uint64_t then = kit->agent.now;
            for (unsigned i = 0; pair_server.test.session.number != 0; i++) {
                assert_true(i < 4);
                pair_pass(kit, KIT_HZ);
            }
            assert_true(kit->agent.now - then < 3 * KIT_HZ);
            the_server_works(kit);
        }
    }
}

static void a_client_that_falls_silent_in_any_stage_is_dropped_in_the_end(void **state) {
    struct kit *kit = *state;

    pair_serve(kit, NULL);
    for (int stage = AT_CONNECT; stage < AT_DONE; stage++) {
        go_to(kit, (enum stage)stage);
        pair_pass(kit, 45u * KIT_HZ);
        assert_int_equal(pair_server.test.session.number, 0);
        hang_up(kit, false);
        the_server_works(kit);
    }
}

static void the_words_of_the_client_may_be_split_anywhere(void **state) {
    struct kit *kit = *state;
    char message[1024];
    size_t head = sizeof cookie;

    memcpy(message, cookie, head);
    size_t len = head + with_length(message + head, tcp_params);
    pair_serve(kit, NULL);
    for (size_t split = 0; split <= len; split++) {
        pair_count = 0;
        control = kit_dial(kit, ND_IPERF3_PORT);
        say(kit, message, split);
        kit_run(kit);
        say(kit, message + split, len - split);
        expect(kit, 9);
        expect(kit, 10);
        data = NULL;
        hang_up(kit, false);
        assert_int_equal(kit_used(kit), 1);
    }
}

static void every_byte_may_come_alone(void **state) {
    struct kit *kit = *state;
    char message[1024];

    pair_serve(kit, NULL);
    control = kit_dial(kit, ND_IPERF3_PORT);
    for (size_t i = 0; i < sizeof cookie; i++) {
        say(kit, cookie + i, 1);
    }
    expect(kit, 9);
    size_t len = with_length(message, tcp_params);
    for (size_t i = 0; i < len; i++) {
        say(kit, message + i, 1);
    }
    expect(kit, 10);
    data = kit_dial(kit, ND_IPERF3_PORT);
    for (size_t i = 0; i < sizeof cookie; i++) {
        say_to(kit, data, cookie + i, 1);
    }
    expect(kit, 1);
    expect(kit, 2);
    say_word(kit, 4);
    pair_pass(kit, 200000);
    expect(kit, 13);
    len = with_length(message, results);
    for (size_t i = 0; i < len; i++) {
        say(kit, message + i, 1);
    }
    expect_results(kit);
    expect(kit, 14);
    say_word(kit, 16);
    assert_int_equal(pair_report("server")->result, ND_OK);
    assert_int_equal(pair_report("server")->flow.rx.bytes, 0);
    hang_up(kit, true);
    the_server_works(kit);
}

/* ---- callers that are no clients ------------------------------------------------------------ */

static void other_protocols_are_told_apart_at_once(void **state) {
    struct kit *kit = *state;
    static const char iperf2[60] = {0x40, 0x01, 0x00, 0x78};
    static const char *const texts[] = {"GET / HTTP/1.1\r\n\r\n", " !\"#$%&'()*+",
                                        "01234567890123456789012345678901234567890123456789"};

    pair_serve(kit, NULL);
    for (unsigned i = 0; i < 4; i++) {
        pair_count = 0;
        control = kit_dial(kit, ND_IPERF3_PORT);
        data = NULL;
        say(kit, i == 3 ? iperf2 : texts[i], i == 3 ? sizeof iperf2 : strlen(texts[i]));
        assert_int_equal(pair_report("server")->result, ND_E_PROTOCOL);
        assert_non_null(strstr(pair_report("server")->message, "iperf 2"));
        hang_up(kit, false);
        assert_int_equal(kit_used(kit), 1);
    }
    the_server_works(kit);
}

static void parts_of_a_cookie_are_reported_and_silence_is_not(void **state) {
    struct kit *kit = *state;

    pair_serve(kit, NULL);
    for (size_t len = 0; len < sizeof cookie; len += 12) {
        pair_count = 0;
        control = kit_dial(kit, ND_IPERF3_PORT);
        data = NULL;
        say(kit, cookie, len);
        pair_pass(kit, 3 * KIT_HZ + 1000);
        assert_int_equal(pair_count, len > 0);
        assert_int_equal(kit_used(kit), 2); /* the listener, and ours, which was reset */
        hang_up(kit, false);
    }
    the_server_works(kit);
}

static void idle_callers_do_not_keep_a_client_waiting(void **state) {
    struct kit *kit = *state;
    struct nd_conn *idle[ND_IPERF3_CALLERS + 2];

    pair_serve(kit, NULL);
    for (unsigned i = 0; i < ND_IPERF3_CALLERS; i++) {
        idle[i] = kit_dial(kit, ND_IPERF3_PORT);
    }
    uint64_t then = kit->agent.now;
    pair_test(kit, &(struct nd_iperf3_params){.blocks = 3});
    assert_int_equal(pair_report("client")->result, ND_OK);
    assert_true(kit->agent.now - then < 3 * KIT_HZ);
    for (unsigned i = 0; i < ND_IPERF3_CALLERS; i++) {
        port->close(idle[i]);
    }
    kit_run(kit);
    assert_int_equal(kit_used(kit), 1);
}

static void hostile_parameters_are_dropped(void **state) {
    struct kit *kit = *state;
    static const char *const texts[] = {
        "[]", "{\"len\":1}}", "{\"len\":", "{\"len\":01}", "null", "{\"a\":[[[[[[[[[[[[[[[[[[1"};
    static char flood[65540] = {0, 1, 0, 0};
    static const char lengths[][4] = {
        {-1, -1, -1, -1}, {0, 0, 0, 0}, {0, 0, 0x20, 1}, {0x7F, -1, -1, -1}};

    pair_serve(kit, NULL);
    for (unsigned i = 0; i < 11; i++) {
        pair_count = 0;
        go_to(kit, AT_COOKIE);
        if (i < 6) {
            say_text(kit, texts[i]);
        } else if (i < 10) {
            say(kit, lengths[i - 6], 4);
        } else {
            memset(flood + 4, ' ', sizeof flood - 4);
            say(kit, flood, sizeof flood);
        }
        assert_int_equal(pair_report("server")->result, ND_E_PROTOCOL);
        hang_up(kit, false);
        the_server_works(kit);
    }
}

static void a_word_out_of_place_ends_the_test(void **state) {
    struct kit *kit = *state;
    static const enum stage stages[] = {AT_PARAMS, AT_STREAMS, AT_END, AT_RESULTS};

    pair_serve(kit, NULL);
    for (unsigned i = 0; i < sizeof stages / sizeof stages[0]; i++) {
        pair_count = 0;
        go_to(kit, stages[i]);
        say_word(kit, 99);
        assert_int_equal(pair_report("server")->result, ND_E_PROTOCOL);
        hang_up(kit, false);
    }
    go_to(kit, AT_STREAMS);
    say_word(kit, 12);
    assert_int_equal(pair_report("server")->result, ND_E_SHORT);
    assert_non_null(strstr(pair_report("server")->message, "interrupted"));
    hang_up(kit, false);
    the_server_works(kit);
}

static void hostile_results_are_dropped(void **state) {
    struct kit *kit = *state;

    pair_serve(kit, NULL);
    go_to(kit, AT_SETTLED);
    say_text(kit, "{\"streams\":[{\"id\":1,\"bytes\":-}]}");
    assert_int_equal(pair_report("server")->result, ND_E_PROTOCOL);
    hang_up(kit, false);
    go_to(kit, AT_SETTLED);
    say_text(kit,
             "{\"streams\":[{\"id\":77,\"packets\":9e99},{\"id\":1,\"packets\":-9e99,\"errors\":"
             "18446744073709551565}]}");
    expect_results(kit);
    hang_up(kit, true);
    assert_int_equal(pair_report("server")->result, ND_OK);
    the_server_works(kit);
}

/* ---- streams -------------------------------------------------------------------------------- */

static void what_the_client_says_it_sent_is_waited_for(void **state) {
    struct kit *kit = *state;

    for (int comes = 0; comes < 2; comes++) {
        if (comes == 0) {
            pair_serve(kit, NULL);
        }
        go_to(kit, AT_SETTLED);
        say_text(kit, "{\"streams\":[{\"id\":1,\"bytes\":30,\"packets\":0,\"errors\":0}]}");
        kit_run_for(kit, 500000);
        assert_int_equal(hear_on(control), 1000 + ND_AGAIN);
        if (comes) {
            say_to(kit, data, "01234567890123456789", 20);
        } else {
            kit_run_for(kit, 600000);
        }
        expect_results(kit);
        expect(kit, 14);
        say_word(kit, 16);
        kit_run(kit);
        assert_int_equal(pair_report("server")->result, ND_OK);
        assert_int_equal(pair_report("server")->flow.rx.bytes, comes ? 30 : 10);
        hang_up(kit, true);
    }
    the_server_works(kit);
}

static void a_wrong_cookie_opens_no_stream(void **state) {
    struct kit *kit = *state;
    char wrong[sizeof cookie];

    memcpy(wrong, cookie, sizeof wrong);
    wrong[35] = 'x';
    pair_serve(kit, NULL);
    go_to(kit, AT_PARAMS);
    struct nd_conn *stranger = kit_dial(kit, ND_IPERF3_PORT);
    say_to(kit, stranger, wrong, sizeof wrong);
    assert_int_equal(hear_on(stranger), -1);
    assert_int_equal(hear_on(stranger), 1000 + ND_EOF);
    assert_int_equal(pair_server.test.stream_used, 0);
    port->end(stranger);
    port->close(stranger);
    data = kit_dial(kit, ND_IPERF3_PORT);
    say_to(kit, data, cookie, sizeof cookie);
    expect(kit, 1);
    hang_up(kit, false);
    the_server_works(kit);
}

static void streams_keep_the_order_of_their_connections(void **state) {
    struct kit *kit = *state;
    char text[sizeof tcp_params + 40];

    strcpy(text, tcp_params);
    strcpy(text + strlen(text) - 1, ",\"bidirectional\":true}");
    pair_serve(kit, NULL);
    go_to(kit, AT_COOKIE);
    say_text(kit, text);
    expect(kit, 10);
    struct nd_conn *first = kit_dial(kit, ND_IPERF3_PORT);
    struct nd_conn *second = kit_dial(kit, ND_IPERF3_PORT);
    say_to(kit, second, cookie, sizeof cookie);
    assert_int_equal(pair_server.test.stream_used, 0);
    say_to(kit, first, cookie, sizeof cookie);
    expect(kit, 1);
    expect(kit, 2);
    say_to(kit, first, "abc", 3);
    assert_int_equal(pair_streams[1][0].bytes, 3);
    assert_true(pair_streams[1][1].bytes > 0); /* sent to the second */
    port->close(first);
    port->close(second);
    hang_up(kit, false);
}

static struct nd_conn *open_udp(struct kit *kit, uint8_t host, uint16_t at_port) {
    struct nd_addr at = {.ip = {10, 0, 0, host}, .family = 4, .port = at_port};
    struct nd_conn *socket;

    assert_int_equal(port->udp_open(&kit->loop, &at, &socket), ND_OK);
    return socket;
}

static void send_udp(struct kit *kit, struct nd_conn *socket, const void *bytes, uint32_t len) {
    struct nd_addr to = kit_addr(ND_IPERF3_PORT);

    assert_int_equal(port->udp_tx(socket, &to, bytes, len, 0), len);
    kit_run(kit);
}

/* The length of the next datagram, or the port's answer. */
static int32_t next_udp(struct nd_conn *socket, char first[4]) {
    struct nd_addr from;
    const void *bytes;
    int32_t n = port->udp_rx(socket, &from, &bytes);

    if (n > 0) {
        memcpy(first, bytes, 4);
        port->rx_done(socket, (uint32_t)n);
    }
    return n;
}

static void udp_is_answered_and_sent_only_to_the_peer_of_the_test(void **state) {
    struct kit *kit = *state;
    char first[4];

    pair_serve(kit, NULL);
    go_to(kit, AT_COOKIE);
    say_text(kit, udp_params);
    expect(kit, 10);
    struct nd_conn *stranger = open_udp(kit, 99, 0);
    struct nd_conn *socket = open_udp(kit, 1, 0);
    struct nd_conn *chargen = open_udp(kit, 1, 19);
    send_udp(kit, stranger, "9876", 4);
    assert_int_equal(next_udp(stranger, first), ND_AGAIN);
    send_udp(kit, chargen, "9876", 4);
    assert_int_equal(next_udp(chargen, first), ND_AGAIN);
    port->close(chargen);
    send_udp(kit, socket, "98765", 5);
    assert_int_equal(next_udp(socket, first), ND_AGAIN);
    assert_int_equal(pair_server.test.stream_used, 0);
    pair_pass(kit, KIT_HZ);
    assert_int_equal(pair_server.test.tx_datagrams, 0);
    send_udp(kit, socket, "\x15\xcd\x5b\x07", 4); /* as older releases begin */
    assert_int_equal(next_udp(socket, first), 4);
    assert_memory_equal(first, "6789", 4);
    expect(kit, 1);
    expect(kit, 2);
    pair_pass(kit, 20000);
    assert_int_equal(next_udp(socket, first), 1000);
    assert_int_equal(next_udp(stranger, first), ND_AGAIN);
    port->close(stranger);
    port->close(socket);
    hang_up(kit, false);
    the_server_works(kit);
}

static void a_repeated_set_up_is_answered_again_and_not_counted(void **state) {
    struct kit *kit = *state;
    char text[sizeof udp_params];
    char first[4];
    uint8_t datagram[1000] = {0};

    strcpy(text, udp_params);
    strcpy(strstr(text, ",\"reverse\""), "}");
    pair_serve(kit, NULL);
    go_to(kit, AT_COOKIE);
    say_text(kit, text);
    expect(kit, 10);
    struct nd_conn *socket = open_udp(kit, 1, 0);
    for (unsigned i = 0; i < 3; i++) {
        send_udp(kit, socket, "9876", 4);
        assert_int_equal(next_udp(socket, first), 4);
    }
    expect(kit, 1);
    expect(kit, 2);
    for (uint8_t id = 1; id <= 10; id++) {
        datagram[11] = id;
        if (id % 3 != 0) { /* 3, 6 and 9 are lost */
            send_udp(kit, socket, datagram, sizeof datagram);
        }
    }
    send_udp(kit, socket, datagram, sizeof datagram); /* 10 again */
    say_word(kit, 4);
    pair_pass(kit, 200000);
    expect(kit, 13);
    say_text(kit, "{\"streams\":[{\"id\":1,\"bytes\":12000,\"packets\":12}]}"); /* 11, 12, too */
    expect_results(kit);
    expect(kit, 14);
    say_word(kit, 16);
    const struct nd_report *report = pair_report("server");
    assert_int_equal(report->result, ND_OK);
    assert_int_equal(report->datagrams->datagrams, 7);
    assert_int_equal(report->datagrams->expected, 12);
    assert_int_equal(report->datagrams->lost, 5);
    assert_int_equal(report->datagrams->duplicates, 1);
    assert_int_equal(report->flow.rx.bytes, 8000);
    port->close(socket);
    hang_up(kit, true);
    the_server_works(kit);
}

static void sending_stops_soon_after_its_time_when_the_peer_is_gone(void **state) {
    struct kit *kit = *state;
    char first[4];

    pair_serve(kit, NULL);
    go_to(kit, AT_COOKIE);
    say_text(kit, udp_params);
    expect(kit, 10);
    struct nd_conn *socket = open_udp(kit, 1, 0);
    send_udp(kit, socket, "9876", 4);
    assert_int_equal(next_udp(socket, first), 4);
    pair_pass(kit, 60u * KIT_HZ);
    assert_int_equal(pair_report("server")->result, ND_E_TIMEOUT);
    assert_in_range(pair_report("server")->tx_datagrams, 125, 11 * 125 + 1);
    port->close(socket);
    hang_up(kit, false);
    the_server_works(kit);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        PAIR_TEST(a_whole_test_by_hand_is_counted_exactly),
        PAIR_TEST(a_client_that_vanishes_in_any_stage_leaves_the_server_ready),
        PAIR_TEST(a_client_that_falls_silent_in_any_stage_is_dropped_in_the_end),
        PAIR_TEST(the_words_of_the_client_may_be_split_anywhere),
        PAIR_TEST(every_byte_may_come_alone),
        PAIR_TEST(other_protocols_are_told_apart_at_once),
        PAIR_TEST(parts_of_a_cookie_are_reported_and_silence_is_not),
        PAIR_TEST(idle_callers_do_not_keep_a_client_waiting),
        PAIR_TEST(hostile_parameters_are_dropped),
        PAIR_TEST(a_word_out_of_place_ends_the_test),
        PAIR_TEST(hostile_results_are_dropped),
        PAIR_TEST(what_the_client_says_it_sent_is_waited_for),
        PAIR_TEST(a_wrong_cookie_opens_no_stream),
        PAIR_TEST(streams_keep_the_order_of_their_connections),
        PAIR_TEST(udp_is_answered_and_sent_only_to_the_peer_of_the_test),
        PAIR_TEST(a_repeated_set_up_is_answered_again_and_not_counted),
        PAIR_TEST(sending_stops_soon_after_its_time_when_the_peer_is_gone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

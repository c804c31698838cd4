/* SPDX-License-Identifier: BSD-3-Clause */
/* The client of iperf 3 against servers made by hand: late, lossy, refusing, vanishing. */
#include "engine_kit.h"

#include <string.h>

#include "iperf3_pair.h"

static const struct nd_port *const port = &nd_port_loop;

static struct nd_conn *listener; /* NULL while nobody listens */
static struct nd_conn *control;
static struct nd_conn *data;

static void listen_again(struct kit *kit) {
    struct nd_addr at = kit_addr(ND_IPERF3_PORT);

    assert_int_equal(port->listen(&kit->loop, &at, &listener), ND_OK);
}

static void stop_listening(void) {
    port->close(listener);
    listener = NULL;
}

static void say(struct kit *kit, const void *bytes, size_t len) {
    assert_int_equal(port->tx(control, bytes, (uint32_t)len, 0), len);
    kit_run(kit);
}

static void say_word(struct kit *kit, int word) {
    char byte = (char)word;

    say(kit, &byte, 1);
}

/* Take so many bytes from the client, which must be there. */
static void hear(struct nd_conn *conn, void *out, uint32_t len) {
    for (uint32_t at = 0; at < len;) {
        const void *bytes;
        int32_t n = port->rx(conn, &bytes);
        assert_true(n > 0);
        uint32_t take = (uint32_t)n < len - at ? (uint32_t)n : len - at;
        memcpy((char *)out + at, bytes, take);
        port->rx_done(conn, take);
        at += take;
    }
}

static void hear_text(struct kit *kit, char text[1024]) {
    uint8_t head[4];

    kit_run(kit);
    hear(control, head, 4);
    uint32_t len = (uint32_t)head[2] << 8 | head[3];
    assert_true(head[0] == 0 && head[1] == 0 && len < 1024);
    hear(control, text, len);
    text[len] = '\0';
}

static void expect_word(int word) {
    int8_t byte;

    hear(control, &byte, 1);
    assert_int_equal(byte, word);
}

static void say_results(struct kit *kit, const char *text) {
    char message[1024] = {0, 0, (char)(strlen(text) >> 8), (char)strlen(text)};

    memcpy(message + 4, text, strlen(text));
    say(kit, message, 4 + strlen(text));
}

/* ---- a server that goes as far as told ----------------------------------------------------- */

enum stage { AT_ACCEPT, AT_GREETED, AT_PARAMS, AT_OPENING, AT_STREAMS, AT_RUNNING, AT_END, STAGES };

static const struct nd_iperf3_params three_blocks = {.blocks = 3, .length = 1000};

static char cookie[ND_IPERF3_COOKIE_BYTES];

static void accept_control(struct kit *kit) {
    kit_run(kit);
    assert_int_equal(port->accept(listener, &control), ND_OK);
    kit_run(kit);
    hear(control, cookie, sizeof cookie);
    assert_int_equal(strlen(cookie), 36);
}

static void accept_stream(struct kit *kit) {
    char again[ND_IPERF3_COOKIE_BYTES];

    kit_run(kit);
    assert_int_equal(port->accept(listener, &data), ND_OK);
    kit_run(kit);
    hear(data, again, sizeof again);
    assert_memory_equal(again, cookie, sizeof again);
}

static void go_to(struct kit *kit, enum stage stage) {
    static char sink[4000];
    char text[1024];

    data = NULL;
    listen_again(kit);
    pair_connect(kit, &three_blocks);
    accept_control(kit);
    if (stage >= AT_GREETED) {
        say_word(kit, 9);
    }
    if (stage >= AT_PARAMS) {
        hear_text(kit, text);
        assert_non_null(strstr(text, "\"blockcount\":3"));
    }
    if (stage >= AT_OPENING) {
        say_word(kit, 10);
    }
    if (stage >= AT_STREAMS) {
        accept_stream(kit);
        kit_run(kit);
    }
    if (stage >= AT_RUNNING) {
        say(kit, "\1\2", 2);
        hear(data, sink, 3000);
    }
    if (stage >= AT_END) {
        pair_pass(kit, 50000);
        expect_word(4);
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
    stop_listening();
    kit_run(kit);
}

static void finish(struct kit *kit, const char *results) {
    char text[1024];

    say_word(kit, 13);
    pair_pass(kit, 200000);
    hear_text(kit, text);
    say_results(kit, results);
    say_word(kit, 14);
    expect_word(16);
    hang_up(kit, true);
    pair_run(kit);
}

static void a_whole_test_by_hand_ends_well(void **state) {
    struct kit *kit = *state;

    go_to(kit, AT_END);
    finish(kit,
           "{\"sender_has_retransmits\":18446744073709551615,\"streams\":[{\"id\":1,\"bytes\":"
           "2999,\"retransmits\":18446744073709551615,\"jitter\":0,\"errors\":0,\"packets\":0}]}");
    assert_int_equal(pair_report("client")->result, ND_OK);
    assert_int_equal(pair_report("client")->flow.tx.bytes, 3000);
    assert_int_equal(pair_streams[0][0].theirs.bytes, 2999);
    assert_int_equal(kit_used(kit), 0);
}

static void a_server_that_vanishes_in_any_stage_ends_the_test(void **state) {
    struct kit *kit = *state;

    for (int stage = AT_ACCEPT; stage < STAGES; stage++) {
        for (int in_order = 0; in_order < 2; in_order++) {
            pair_count = 0;
            go_to(kit, (enum stage)stage);
            hang_up(kit, in_order != 0);
            pair_pass(kit, 1000);
            assert_int_equal(pair_count, 1);
            assert_int_not_equal(pair_report("client")->result, ND_OK);
            assert_int_equal(kit_used(kit), 0);
        }
    }
}

static void a_server_that_falls_silent_in_any_stage_is_left_in_the_end(void **state) {
    struct kit *kit = *state;

    for (int stage = AT_ACCEPT; stage < STAGES; stage++) {
        pair_count = 0;
        go_to(kit, (enum stage)stage);
        pair_pass(kit, 65u * KIT_HZ);
        assert_int_equal(pair_count, 1);
        assert_int_equal(pair_report("client")->result,
                         stage == AT_ACCEPT ? ND_E_PROTOCOL : ND_E_TIMEOUT);
        hang_up(kit, false);
        assert_int_equal(kit_used(kit), 0);
    }
}

/* ---- what goes wrong, and its words --------------------------------------------------------- */

static void a_server_of_iperf_2_is_recognised_by_its_silence(void **state) {
    struct kit *kit = *state;

    go_to(kit, AT_ACCEPT);
    uint64_t then = kit->agent.now;
    pair_run(kit);
    assert_in_range(kit->agent.now - then, 2900000, 3100000);
    assert_int_equal(pair_report("client")->result, ND_E_PROTOCOL);
    assert_non_null(strstr(pair_report("client")->message, "iperf 2"));
    hang_up(kit, false);
}

static void five_seconds_of_round_trip_are_no_silence(void **state) {
    struct kit *kit = *state;
    char text[1024];

    listen_again(kit);
    data = NULL;
    pair_connect(kit, &three_blocks);
    pair_pass(kit, 5u * KIT_HZ);
    assert_int_equal(port->accept(listener, &control), ND_OK);
    pair_pass(kit, 5u * KIT_HZ);
    hear(control, cookie, sizeof cookie);
    pair_pass(kit, 5u * KIT_HZ);
    say_word(kit, 9);
    pair_pass(kit, 5u * KIT_HZ);
    hear_text(kit, text);
    say_word(kit, 10);
    pair_pass(kit, 5u * KIT_HZ);
    accept_stream(kit);
    say_word(kit, 1);
    pair_pass(kit, 5u * KIT_HZ);
    say_word(kit, 2);
    pair_pass(kit, 5u * KIT_HZ);
    hear(data, text, 1000);
    hear(data, text, 1000);
    hear(data, text, 1000);
    pair_pass(kit, 5u * KIT_HZ);
    expect_word(4);
    pair_pass(kit, 5u * KIT_HZ);
    finish(kit, "{\"streams\":[]}");
    assert_int_equal(pair_report("client")->result, ND_OK);
}

static void words_that_end_a_test_are_explained(void **state) {
    struct kit *kit = *state;
    static const struct {
        const char *bytes;
        size_t len;
        int result;
        const char *message;
    } rows[] = {
        {"\xff", 1, ND_E_REFUSED, "busy"},
        {"\x0b", 1, ND_E_SHORT, "ended"},
        {"\xfe\0\0\0\5\0\0\0\0", 9, ND_E_UNSUPPORTED, "long"},
        {"\xfe\0\0\1\x2c\0\0\0\0", 9, ND_E_UNSUPPORTED, "number"},
        {"\x63", 1, ND_E_PROTOCOL, NULL},
        {"\0", 1, ND_E_PROTOCOL, NULL},
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int stage = AT_ACCEPT; stage < STAGES; stage++) {
            pair_count = 0;
            go_to(kit, (enum stage)stage);
            say(kit, rows[i].bytes, rows[i].len);
            pair_run(kit);
            const struct nd_report *report = pair_report("client");
            assert_int_equal(report->result, rows[i].result);
            if (rows[i].message != NULL) {
                assert_non_null(strstr(report->message, rows[i].message));
            }
            hang_up(kit, false);
        }
    }
}

static void nobody_there_is_told_at_once(void **state) {
    struct kit *kit = *state;

    pair_test(kit, &three_blocks);
    assert_int_equal(pair_report("client")->result, ND_E_REFUSED);
    assert_non_null(strstr(pair_report("client")->message, "listens"));
}

/* ---- streams that need patience ----------------------------------------------------------------
 */

static void a_server_that_listens_late_for_data_is_tried_again(void **state) {
    struct kit *kit = *state;
    char sink[3000];

    go_to(kit, AT_PARAMS);
    stop_listening();
    say_word(kit, 10);
    pair_pass(kit, 50000);
    listen_again(kit);
    pair_pass(kit, 600000);
    accept_stream(kit);
    say(kit, "\1\2", 2);
    hear(data, sink, 3000);
    pair_pass(kit, 50000);
    expect_word(4);
    finish(kit, "{\"streams\":[]}");
    assert_int_equal(pair_report("client")->result, ND_OK);
}

static void a_data_connection_that_never_stands_is_given_up(void **state) {
    struct kit *kit = *state;

    go_to(kit, AT_PARAMS);
    stop_listening();
    say_word(kit, 10);
    pair_pass(kit, 40u * KIT_HZ);
    assert_int_equal(pair_report("client")->result, ND_E_TIMEOUT);
    listen_again(kit);
    hang_up(kit, false);
    assert_int_equal(kit_used(kit), 0);
}

/* The next datagram at this socket, which must be a hello; false when there is none. */
static bool take_hello(struct nd_conn *socket, struct nd_addr *from) {
    const void *bytes;
    int32_t n = port->udp_rx(socket, from, &bytes);

    if (n == ND_AGAIN) {
        return false;
    }
    assert_int_equal(n, 4);
    assert_memory_equal(bytes, "9876", 4);
    port->rx_done(socket, 4);
    return true;
}

static void go_to_udp(struct kit *kit, struct nd_conn **socket, uint32_t parallel) {
    struct nd_addr at = kit_addr(ND_IPERF3_PORT);
    char text[1024];

    data = NULL;
    listen_again(kit);
    assert_int_equal(port->udp_open(&kit->loop, &at, socket), ND_OK);
    pair_connect(kit, &(struct nd_iperf3_params){
                          .udp = true, .blocks = 3, .length = 1000, .parallel = parallel});
    accept_control(kit);
    say_word(kit, 9);
    hear_text(kit, text);
    assert_non_null(strstr(text, "\"udp\":true"));
    say_word(kit, 10);
}

static void a_lost_set_up_of_udp_is_repeated_either_way(void **state) {
    struct kit *kit = *state;
    struct nd_conn *socket;
    struct nd_addr from;

    go_to_udp(kit, &socket, 1);
    for (unsigned lost = 0; lost < 3; lost++) {
        assert_true(take_hello(socket, &from));
        pair_pass(kit, 1100000);
    }
    assert_true(take_hello(socket, &from));
    assert_int_equal(port->udp_tx(socket, &from, "junk", 4, 0), 4);
    kit_run(kit);
    assert_int_equal(pair_client.test.stream_used, 0);
    assert_int_equal(port->udp_tx(socket, &from, "\xb1\x68\xde\x3a", 4, 0), 4); /* as of old */
    kit_run(kit);
    assert_int_equal(pair_client.test.stream_used, 1);
    say(kit, "\1\2", 2);
    pair_pass(kit, 100000);
    expect_word(4);
    finish(kit,
           "{\"streams\":[{\"id\":1,\"bytes\":2000,\"errors\":1,\"packets\":3,\"jitter\":1e-3}]}");
    const struct nd_report *report = pair_report("client");
    assert_int_equal(report->result, ND_OK);
    assert_int_equal(report->tx_datagrams, 3);
    assert_int_equal(report->peer_datagrams->lost, 1);
    assert_int_equal(report->peer_datagrams->datagrams, 2);
    assert_int_equal(report->peer_datagrams->jitter_ns, 1000000);
    port->close(socket);
}

static void the_start_says_that_the_last_answer_was_lost(void **state) {
    struct kit *kit = *state;
    struct nd_conn *socket;
    struct nd_addr from;

    go_to_udp(kit, &socket, 2);
    assert_true(take_hello(socket, &from));
    assert_int_equal(port->udp_tx(socket, &from, "6789", 4, 0), 4);
    kit_run(kit);
    assert_true(take_hello(socket, &from));
    say(kit, "\1\2", 2);
    assert_int_equal(pair_client.test.stream_used, 2);
    pair_pass(kit, 100000);
    expect_word(4);
    finish(kit, "{\"streams\":[]}");
    assert_int_equal(pair_report("client")->result, ND_OK);
    assert_null(pair_report("client")->peer_datagrams); /* nothing was said of them */
    port->close(socket);
}

static void a_udp_set_up_without_an_answer_is_given_up(void **state) {
    struct kit *kit = *state;
    struct nd_conn *socket;

    go_to_udp(kit, &socket, 1);
    pair_pass(kit, 40u * KIT_HZ);
    assert_int_equal(pair_report("client")->result, ND_E_TIMEOUT);
    port->close(socket);
    hang_up(kit, false);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        PAIR_TEST(a_whole_test_by_hand_ends_well),
        PAIR_TEST(a_server_that_vanishes_in_any_stage_ends_the_test),
        PAIR_TEST(a_server_that_falls_silent_in_any_stage_is_left_in_the_end),
        PAIR_TEST(a_server_of_iperf_2_is_recognised_by_its_silence),
        PAIR_TEST(five_seconds_of_round_trip_are_no_silence),
        PAIR_TEST(words_that_end_a_test_are_explained),
        PAIR_TEST(nobody_there_is_told_at_once),
        PAIR_TEST(a_server_that_listens_late_for_data_is_tried_again),
        PAIR_TEST(a_data_connection_that_never_stands_is_given_up),
        PAIR_TEST(a_lost_set_up_of_udp_is_repeated_either_way),
        PAIR_TEST(the_start_says_that_the_last_answer_was_lost),
        PAIR_TEST(a_udp_set_up_without_an_answer_is_given_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

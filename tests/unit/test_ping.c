/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_kit.h"

#include <string.h>

#include "nd/ping.h"

/* A network that answers at once, to some. */
static struct network {
    bool open;
    bool forbidden;
    unsigned sent;
    unsigned full;     /* answers ND_AGAIN so often */
    unsigned lost;     /* the number that nobody answers */
    int32_t waiting;   /* a reply, or ND_AGAIN */
    int32_t strangers; /* a reply before it, or ND_AGAIN */
} network;

static struct nd_ping ping;
static struct nd_command command;

static int open_path(void *ctx) {
    (void)ctx;
    network.open = !network.forbidden;
    return network.forbidden ? ND_E_UNSUPPORTED : ND_OK;
}

static int send(void *ctx, const struct nd_addr *to, uint16_t sequence, uint32_t bytes) {
    (void)ctx;
    assert_int_equal(to->ip[3], 1);
    assert_int_equal(bytes, 56);
    if (network.full > 0) {
        network.full--;
        return ND_AGAIN;
    }
    network.sent++;
    network.waiting = sequence == network.lost ? ND_AGAIN : sequence;
    return ND_OK;
}

static int32_t heard(void *ctx) {
    int32_t *from = network.strangers >= 0 ? &network.strangers : &network.waiting;
    int32_t sequence = *from;

    (void)ctx;
    *from = ND_AGAIN;
    return sequence;
}

static void close_path(void *ctx) {
    (void)ctx;
    network.open = false;
}

static const struct nd_ping_path path = {NULL, open_path, send, heard, close_path};

static int setup(void **state) {
    network = (struct network){.waiting = ND_AGAIN, .strangers = ND_AGAIN};
    ping = (struct nd_ping){.path = &path};
    kit_setup(state);
    nd_ping_command(&command, &ping);
    nd_console_add(&((struct kit *)*state)->console, &command);
    return 0;
}

static void every_reply_is_told_and_the_test_reported(void **state) {
    struct kit *kit = *state;
    const char *text;

    kit_type(kit, "ping -n 2 -i 100 10.0.0.1\n");
    assert_true(network.open);
    kit_run_for(kit, 300000);
    text = kit_read(kit);
    assert_non_null(
        strstr(text, "ping reply seq:1 time:0.010 ms\nping reply seq:2 time:0.010 ms\n"));
    assert_non_null(strstr(text, "ping ok: 224 bytes processed in "));
    assert_int_equal(kit_last(kit)->round_trips, 2);
    assert_false(network.open);
    assert_int_equal(ping.session.number, 0);
}

static void a_lost_request_is_told_after_a_second(void **state) {
    struct kit *kit = *state;
    const char *text;

    network.lost = 2;
    kit_type(kit, "ping -n 3 -i 100 10.0.0.1\n");
    kit_run_for(kit, 1000000);
    assert_int_equal(network.sent, 2);
    kit_run_for(kit, 500000);
    text = kit_read(kit);
    assert_non_null(strstr(text, "seq:1 time:0.010 ms\nping lost seq:2\nping reply seq:3"));
    assert_int_equal(kit_last(kit)->result, ND_OK);
    assert_int_equal(kit_last(kit)->round_trips, 2);
    assert_int_equal(kit_last(kit)->tx_datagrams, 3);
}

static void a_host_that_never_answers_is_a_time_out(void **state) {
    struct kit *kit = *state;

    network.lost = 1;
    kit_type(kit, "ping -n 1 10.0.0.1\n");
    kit_run_for(kit, 1100000);
    assert_int_equal(kit_last(kit)->result, ND_E_TIMEOUT);
    assert_int_equal(kit_last(kit)->round_trips, 0);
}

static void a_reply_to_another_request_is_none(void **state) {
    struct kit *kit = *state;

    network.strangers = 77;
    kit_type(kit, "ping -n 1 10.0.0.1\n");
    kit_run_for(kit, 1100000);
    assert_int_equal(kit_last(kit)->round_trips, 1);
}

static void a_stack_without_room_is_asked_again(void **state) {
    struct kit *kit = *state;

    network.full = 3;
    kit_type(kit, "ping -n 1 10.0.0.1\n");
    kit_run_for(kit, 1000);
    assert_int_equal(kit_last(kit)->round_trips, 1);
}

static void stop_ends_it_and_closes_the_path(void **state) {
    struct kit *kit = *state;

    network.lost = 1;
    kit_type(kit, "ping 10.0.0.1\n");
    kit_run_for(kit, 1000);
    kit_type(kit, "stop\n");
    kit_run_for(kit, 1000);
    assert_int_equal(kit_last(kit)->result, ND_E_STOPPED);
    assert_false(network.open);
}

static void without_a_path_it_is_not_supported(void **state) {
    struct kit *kit = *state;

    network.forbidden = true;
    assert_string_equal(kit_type(kit, "ping 10.0.0.1\n"),
                        "error: unsupported: ping: not_supported\n");
    ping.path = NULL;
    assert_string_equal(kit_type(kit, "ping 10.0.0.1\n"),
                        "error: unsupported: ping: not_supported\n");
}

/* RFC 1071: the sum of all words, the checksum among them, is all ones. */
static void the_message_has_the_checksum_that_receivers_verify(void **state) {
    static const uint32_t lengths[] = {0, 1, 56, 1471, ND_PING_BYTES_MAX};
    uint8_t message[ND_PING_HEADER_BYTES + ND_PING_BYTES_MAX + 1];

    (void)state;
    for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        uint32_t len = ND_PING_HEADER_BYTES + lengths[i], sum = 0;
        memset(message, 0, sizeof message);
        nd_ping_write(message, 0xFFFE, 0xFFFF, lengths[i]);
        for (uint32_t at = 0; at < len; at += 2) {
            sum += (uint32_t)message[at] << 8 | message[at + 1];
        }
        while (sum > 0xFFFF) {
            sum = (sum & 0xFFFF) + (sum >> 16);
        }
        assert_int_equal(sum, 0xFFFF);
        assert_int_equal(nd_ping_read(message, len, 0xFFFE), ND_AGAIN); /* a request */
        message[0] = 0;
        assert_int_equal(nd_ping_read(message, len, 0xFFFE), 0xFFFF);
        assert_int_equal(nd_ping_read(message, len, 0xFFFF), ND_AGAIN);
        assert_int_equal(nd_ping_read(message, 7, 0xFFFE), ND_AGAIN);
    }
}

#define PING_TEST(test) cmocka_unit_test_setup_teardown(test, setup, kit_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        PING_TEST(every_reply_is_told_and_the_test_reported),
        PING_TEST(a_lost_request_is_told_after_a_second),
        PING_TEST(a_host_that_never_answers_is_a_time_out),
        PING_TEST(a_reply_to_another_request_is_none),
        PING_TEST(a_stack_without_room_is_asked_again),
        PING_TEST(stop_ends_it_and_closes_the_path),
        PING_TEST(without_a_path_it_is_not_supported),
        PING_TEST(the_message_has_the_checksum_that_receivers_verify),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

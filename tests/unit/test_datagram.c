/* SPDX-License-Identifier: BSD-3-Clause */
#include "engine_kit.h"

#include <string.h>

#include "nd/datagram.h"

static const struct nd_port *const port = &nd_port_loop;

static struct nd_datagram_server server;

static void serve(struct kit *kit, enum nd_datagram_kind kind) {
    struct nd_addr at = kit_addr(4000);

    assert_int_equal(nd_datagram_serve(&server, &kit->agent, kind, &at), ND_OK);
}

static struct nd_conn *open_from(struct kit *kit, struct nd_addr local) {
    struct nd_conn *peer;

    assert_int_equal(port->udp_open(&kit->loop, &local, &peer), ND_OK);
    return peer;
}

static void send(struct kit *kit, struct nd_conn *peer, const void *bytes, uint32_t len) {
    struct nd_addr to = kit_addr(4000);

    assert_int_equal(port->udp_tx(peer, &to, bytes, len, 0), len);
    kit_run(kit);
}

/* What came back: its length, or ND_AGAIN. */
static int32_t receive(struct nd_conn *peer, const void **bytes) {
    struct nd_addr from;

    return port->udp_rx(peer, &from, bytes);
}

static void echo_sends_back_the_whole_datagram_and_only_one(void **state) {
    static const uint32_t lengths[] = {1, 2, 100, 1471, 1472};
    struct kit *kit = *state;
    struct nd_conn *peer = open_from(kit, kit_addr(6000));
    uint8_t bytes[1472];
    const void *back;

    serve(kit, ND_DATAGRAM_ECHO);
    for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        memset(bytes, (int)(i + 1), sizeof bytes);
        send(kit, peer, bytes, lengths[i]);
        assert_int_equal(receive(peer, &back), lengths[i]);
        assert_memory_equal(back, bytes, lengths[i]);
        port->rx_done(peer, lengths[i]);
        kit_run(kit);
        assert_int_equal(receive(peer, &back), ND_AGAIN);
    }
    assert_int_equal(server.rx_datagrams, 5);
    assert_int_equal(server.tx_datagrams, 5);
    port->close(peer);
    nd_datagram_close(&server);
    assert_int_equal(kit_last(kit)->flow.rx.bytes, 1 + 2 + 100 + 1471 + 1472);
    assert_int_equal(kit_last(kit)->result, ND_OK);
    assert_int_equal(kit_used(kit), 0);
}

static void discard_answers_nothing(void **state) {
    struct kit *kit = *state;
    struct nd_conn *peer = open_from(kit, kit_addr(6000));
    const void *back;

    serve(kit, ND_DATAGRAM_DISCARD);
    send(kit, peer, "abc", 3);
    assert_int_equal(receive(peer, &back), ND_AGAIN);
    assert_int_equal(server.flow.rx.bytes, 3);
    port->close(peer);
}

static void chargen_answers_no_more_than_came(void **state) {
    static const uint32_t lengths[] = {1, 74, 511, 512, 513, 1472};
    struct kit *kit = *state;
    struct nd_conn *peer = open_from(kit, kit_addr(6000));
    uint8_t bytes[1472] = {0};
    const void *back;

    serve(kit, ND_DATAGRAM_CHARGEN);
    for (unsigned i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        uint32_t expected = lengths[i] < 512 ? lengths[i] : 512;
        send(kit, peer, bytes, lengths[i]);
        assert_int_equal(receive(peer, &back), expected);
        for (uint32_t k = 0; k < expected; k++) {
            assert_in_range(((const uint8_t *)back)[k], 0x20, 0x7E);
        }
        port->rx_done(peer, expected);
    }
    port->close(peer);
}

static void ports_of_simple_services_are_not_answered(void **state) {
    static const uint16_t ports[] = {7, 13, 17, 19, 37, 53, 69, 123};
    struct kit *kit = *state;
    const void *back;

    serve(kit, ND_DATAGRAM_ECHO);
    for (unsigned i = 0; i < sizeof ports / sizeof ports[0]; i++) {
        struct nd_conn *peer = open_from(kit, kit_addr(ports[i]));
        send(kit, peer, "abc", 3);
        assert_int_equal(receive(peer, &back), ND_AGAIN);
        port->close(peer);
    }
    assert_int_equal(server.refused, 8);
    assert_int_equal(server.tx_datagrams, 0);
}

static void addresses_that_are_not_of_one_machine_are_not_answered(void **state) {
    static const struct nd_addr bad[] = {
        {.ip = {255, 255, 255, 255}, .family = 4},
        {.ip = {224, 0, 0, 1}, .family = 4},
        {.ip = {239, 255, 255, 250}, .family = 4},
        {.ip = {0, 0, 0, 0}, .family = 4},
        {.ip = {240, 0, 0, 1}, .family = 4},
        {.ip = {0xFF, 2, [15] = 1}, .family = 6},
        {.ip = {0}, .family = 6},
    };
    static const struct nd_addr good[] = {
        {.ip = {127, 0, 0, 1}, .family = 4},
        {.ip = {223, 255, 255, 254}, .family = 4},
        {.ip = {[15] = 1}, .family = 6},
        {.ip = {0xFE, 0x80, [15] = 1}, .family = 6},
    };
    struct kit *kit = *state;
    const void *back;

    serve(kit, ND_DATAGRAM_ECHO);
    for (unsigned i = 0; i < 7 + 4; i++) {
        struct nd_addr from = i < 7 ? bad[i] : good[i - 7];
        from.port = 6000;
        struct nd_conn *peer = open_from(kit, from);
        send(kit, peer, "abc", 3);
        assert_int_equal(receive(peer, &back), i < 7 ? ND_AGAIN : 3);
        port->close(peer);
    }
    assert_int_equal(server.refused, 7);
}

static int32_t never(struct nd_conn *socket, const struct nd_addr *to, const void *bytes,
                     uint32_t len, unsigned flags) {
    (void)socket;
    (void)to;
    (void)bytes;
    (void)len;
    (void)flags;
    return ND_AGAIN;
}

static void an_answer_without_room_is_dropped_and_counted(void **state) {
    struct kit *kit = *state;
    struct nd_conn *peer = open_from(kit, kit_addr(6000));
    struct nd_port full = nd_port_loop;

    serve(kit, ND_DATAGRAM_ECHO);
    full.udp_tx = never;
    kit->agent.cfg.port = &full;
    send(kit, peer, "abc", 3);
    kit->agent.cfg.port = port;
    assert_int_equal(server.tx_failures, 1);
    assert_int_equal(server.rx_datagrams, 1);
    port->close(peer);
}

static void a_port_without_udp_is_told(void **state) {
    struct kit *kit = *state;
    struct nd_port tcp = nd_port_loop;
    struct nd_addr at = kit_addr(4000);

    tcp.udp_open = NULL;
    kit->agent.cfg.port = &tcp;
    assert_int_equal(nd_datagram_serve(&server, &kit->agent, ND_DATAGRAM_ECHO, &at),
                     ND_E_UNSUPPORTED);
    kit->agent.cfg.port = port;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        KIT_TEST(echo_sends_back_the_whole_datagram_and_only_one),
        KIT_TEST(discard_answers_nothing),
        KIT_TEST(chargen_answers_no_more_than_came),
        KIT_TEST(ports_of_simple_services_are_not_answered),
        KIT_TEST(addresses_that_are_not_of_one_machine_are_not_answered),
        KIT_TEST(an_answer_without_room_is_dropped_and_counted),
        KIT_TEST(a_port_without_udp_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

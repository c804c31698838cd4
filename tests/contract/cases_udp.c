/* SPDX-License-Identifier: BSD-3-Clause */
/* cases_udp.c - datagrams: whole or not at all. */
#include "kit.h"

#include <string.h>

#define DATAGRAM_BYTES 1472u

struct udp_end {
    struct nd_conn *socket;
    struct nd_addr at;
};

static struct udp_end udp_open(void) {
    struct udp_end end = {.at = rig->at};
    assert_int_equal(port->udp_open(rig->ctx, &rig->at, &end.socket), ND_OK);
    struct nd_conn_info info;
    port->info(end.socket, &info);
    end.at.port = info.local.port;
    assert_int_not_equal(end.at.port, 0);
    return end;
}

/* A datagram that tells by its content how long it is and which it is. */
static void compose(uint8_t *bytes, uint32_t number, uint32_t len) {
    for (uint32_t i = 0; i < len; i++) {
        bytes[i] = (uint8_t)(number * 31u + i * 7u + i / 251u);
    }
    memcpy(bytes, &number, len < sizeof number ? len : sizeof number);
}

static uint32_t length_of(uint32_t number) {
    return 4u + number * 613u % (DATAGRAM_BYTES - 3u);
}

static int32_t udp_send(const struct udp_end *from, const struct udp_end *to, uint32_t number,
                        uint32_t len) {
    static uint8_t bytes[DATAGRAM_BYTES];
    compose(bytes, number, len);
    int32_t sent = port->udp_tx(from->socket, &to->at, bytes, len, 0);
    memset(bytes, 0xEE, sizeof bytes);
    return sent;
}

static void udp_send_soon(const struct udp_end *from, const struct udp_end *to, uint32_t number,
                          uint32_t len) {
    int32_t sent;
    AWAIT((sent = udp_send(from, to, number, len)) != ND_AGAIN);
    assert_int_equal(sent, len);
}

static void expect_datagram(const struct udp_end *from, const struct udp_end *to, uint32_t number,
                            uint32_t len) {
    uint8_t expected[DATAGRAM_BYTES];
    struct nd_addr sender;
    const void *bytes;
    int32_t there;
    AWAIT((there = port->udp_rx(to->socket, &sender, &bytes)) != ND_AGAIN);
    assert_int_equal(there, len);
    compose(expected, number, len);
    assert_memory_equal(bytes, expected, len);
    assert_int_equal(sender.port, from->at.port);
    assert_int_equal(sender.family, from->at.family);
    assert_memory_equal(sender.ip, from->at.ip, sizeof sender.ip);
    port->rx_done(to->socket, len);
}

static void datagrams_arrive_whole_with_their_sender(void **state) {
    (void)state;
    static const uint32_t sizes[] = {1, 64, 1471, 1472};
    struct udp_end a = udp_open();
    struct udp_end b = udp_open();
    for (uint32_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        udp_send_soon(&a, &b, i, sizes[i]);
        expect_datagram(&a, &b, i, sizes[i]);
        udp_send_soon(&b, &a, i + 100, sizes[i]);
        expect_datagram(&b, &a, i + 100, sizes[i]);
    }
    port->close(a.socket);
    port->close(b.socket);
    expect_all_slots_free();
}

static void an_empty_queue_says_again(void **state) {
    (void)state;
    struct udp_end a = udp_open();
    struct nd_addr sender;
    const void *bytes;
    for (unsigned i = 0; i < 10; i++) {
        assert_int_equal(port->udp_rx(a.socket, &sender, &bytes), ND_AGAIN);
        turn();
    }
    port->close(a.socket);
}

static void a_borrowed_datagram_stays_until_given_back(void **state) {
    (void)state;
    struct udp_end a = udp_open();
    struct udp_end b = udp_open();
    udp_send_soon(&a, &b, 1, 900);
    struct nd_addr sender;
    const void *bytes;
    AWAIT(port->udp_rx(b.socket, &sender, &bytes) != ND_AGAIN);
    udp_send_soon(&a, &b, 2, 64);
    turns(QUIET_TURNS);
    assert_int_equal(port->udp_rx(b.socket, &sender, &bytes), 900);
    expect_datagram(&a, &b, 1, 900);
    expect_datagram(&a, &b, 2, 64);
    port->close(a.socket);
    port->close(b.socket);
}

static void step_says_that_a_datagram_waits(void **state) {
    (void)state;
    struct udp_end a = udp_open();
    struct udp_end b = udp_open();
    struct nd_addr sender;
    const void *bytes;
    for (unsigned round = 0; round < 3; round++) {
        assert_int_equal(port->udp_rx(a.socket, &sender, &bytes), ND_AGAIN);
        assert_int_equal(port->udp_rx(b.socket, &sender, &bytes), ND_AGAIN);
        assert_int_equal(port->step(rig->ctx) & ND_STEP_DATAGRAM, 0);
        udp_send_soon(&a, &b, 1, 100);
        udp_send_soon(&a, &b, 2, 200);
        AWAIT((port->step(rig->ctx) & ND_STEP_DATAGRAM) != 0);
        expect_datagram(&a, &b, 1, 100);
        for (unsigned i = 0; i < 3; i++) {
            turn();
            assert_true((port->step(rig->ctx) & ND_STEP_DATAGRAM) != 0);
        }
        expect_datagram(&a, &b, 2, 200);
    }
    udp_send_soon(&a, &b, 3, 300);
    AWAIT((port->step(rig->ctx) & ND_STEP_DATAGRAM) != 0);
    port->close(a.socket);
    port->close(b.socket);
    assert_int_equal(port->step(rig->ctx) & ND_STEP_DATAGRAM, 0);
}

/* Take all that waits: each whole, in order, some missing. The count. */
static uint32_t take_some_of(const struct udp_end *to, uint32_t sent) {
    uint8_t expected[DATAGRAM_BYTES];
    struct nd_addr sender;
    const void *bytes;
    uint32_t count = 0;
    uint32_t next = 0;
    for (unsigned quiet = 0; quiet < QUIET_TURNS; quiet++) {
        int32_t len;
        while ((len = port->udp_rx(to->socket, &sender, &bytes)) > 0) {
            uint32_t number;
            memcpy(&number, bytes, sizeof number);
            assert_true(number >= next && number < sent);
            assert_int_equal(len, length_of(number));
            compose(expected, number, (uint32_t)len);
            assert_memory_equal(bytes, expected, (size_t)len);
            port->rx_done(to->socket, (uint32_t)len);
            next = number + 1;
            count++;
        }
        assert_int_equal(len, ND_AGAIN);
        turn();
    }
    return count;
}

static void a_full_queue_loses_datagrams_but_cuts_none(void **state) {
    (void)state;
    enum { SENT = 3000 };
    struct udp_end a = udp_open();
    struct udp_end b = udp_open();
    for (uint32_t i = 0; i < SENT; i++) {
        udp_send_soon(&a, &b, i, length_of(i));
    }
    uint32_t count = take_some_of(&b, SENT);
    assert_in_range(count, 1, SENT - 1);
    udp_send_soon(&a, &b, 7, 64);
    expect_datagram(&a, &b, 7, 64);
    port->close(a.socket);
    port->close(b.socket);
}

static void a_datagram_beyond_the_limit_is_refused_whole(void **state) {
    (void)state;
    static const uint8_t huge[65536];
    struct udp_end a = udp_open();
    struct udp_end b = udp_open();
    assert_int_equal(port->udp_tx(a.socket, &b.at, huge, sizeof huge, 0), ND_E_ARG);
    udp_send_soon(&a, &b, 1, 10);
    expect_datagram(&a, &b, 1, 10);
    port->close(a.socket);
    port->close(b.socket);
}

static void a_datagram_to_nobody_is_lost_quietly(void **state) {
    (void)state;
    struct udp_end a = udp_open();
    struct udp_end gone = udp_open();
    port->close(gone.socket);
    udp_send_soon(&a, &gone, 1, 10);
    turns(QUIET_TURNS);
    struct udp_end b = udp_open();
    udp_send_soon(&a, &b, 2, 20);
    expect_datagram(&a, &b, 2, 20);
    port->close(a.socket);
    port->close(b.socket);
}

static void sockets_share_the_pool_with_connections(void **state) {
    (void)state;
    struct nd_conn *sockets[64];
    for (uint32_t i = 0; i < rig->pool_size; i++) {
        sockets[i] = udp_open().socket;
    }
    struct nd_conn *beyond = NULL;
    assert_int_equal(port->udp_open(rig->ctx, &rig->at, &beyond), ND_E_FULL);
    assert_null(beyond);
    for (uint32_t i = 0; i < rig->pool_size; i++) {
        port->close(sockets[i]);
    }
    expect_all_slots_free();
}

int run_udp_cases(void) {
    static const struct CMUnitTest cases[] = {
        CASE(datagrams_arrive_whole_with_their_sender),
        CASE(an_empty_queue_says_again),
        CASE(a_borrowed_datagram_stays_until_given_back),
        CASE(step_says_that_a_datagram_waits),
        CASE(a_full_queue_loses_datagrams_but_cuts_none),
        CASE(a_datagram_beyond_the_limit_is_refused_whole),
        CASE(a_datagram_to_nobody_is_lost_quietly),
        CASE(sockets_share_the_pool_with_connections),
    };
    return cmocka_run_group_tests_name("udp", cases, NULL, NULL);
}

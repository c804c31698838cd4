/* SPDX-License-Identifier: BSD-3-Clause */
/* test_bsd.c - what the bsd port promises beyond the contract. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "bsd.h"
#include "nd/memory.h"

#define SLOTS    4u
#define RX_BYTES 100u
#define LIMIT    5000u /* turns of 1 ms */

static const struct nd_port *port = &nd_port_bsd;
static const struct nd_addr local = {.ip = {127, 0, 0, 1}, .family = 4};
static struct nd_bsd bsd;
static struct nd_bsd_slot slots[SLOTS];
static uint8_t buffers[SLOTS * RX_BYTES];
static struct nd_bsd_cfg cfg;

static int setup(void **state) {
    (void)state;
    cfg = (struct nd_bsd_cfg){
        .slots = slots, .slot_count = SLOTS, .buffers = buffers, .rx_bytes = RX_BYTES};
    return nd_bsd_init(&bsd, &cfg);
}

static int teardown(void **state) {
    (void)state;
    nd_bsd_finish(&bsd);
    return 0;
}

#define AWAIT(condition)                                                                           \
    for (unsigned waited = 0; !(condition); waited++) {                                            \
        assert_true(waited < LIMIT);                                                               \
        nd_bsd_wait(&bsd, 1);                                                                      \
        port->step(&bsd);                                                                          \
    }

static struct nd_conn *open_datagrams(struct nd_addr *at) {
    struct nd_conn *socket = NULL;
    struct nd_conn_info info;
    assert_int_equal(port->udp_open(&bsd, &local, &socket), ND_OK);
    port->info(socket, &info);
    *at = local;
    at->port = info.local.port;
    return socket;
}

static void a_datagram_that_may_be_cut_is_dropped(void **state) {
    (void)state;
    static const uint8_t bytes[RX_BYTES + 1];
    struct nd_addr to;
    struct nd_addr from;
    const void *got;
    struct nd_conn *a = open_datagrams(&from);
    struct nd_conn *b = open_datagrams(&to);
    static const uint32_t sizes[] = {RX_BYTES + 1, RX_BYTES, RX_BYTES - 1};
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(port->udp_tx(a, &to, bytes, sizes[i], 0), sizes[i]);
    }
    int32_t len;
    AWAIT((len = port->udp_rx(b, &from, &got)) != ND_AGAIN);
    assert_int_equal(len, RX_BYTES - 1);
    port->rx_done(b, RX_BYTES - 1);
    assert_int_equal(port->udp_rx(b, &from, &got), ND_AGAIN);
}

static void the_sleep_ends_only_for_news(void **state) {
    (void)state;
    struct nd_addr to;
    struct nd_addr from;
    const void *got;
    struct nd_conn *a = open_datagrams(&from);
    struct nd_conn *b = open_datagrams(&to);
    assert_int_equal(port->udp_rx(a, &from, &got), ND_AGAIN);
    assert_int_equal(port->udp_rx(b, &from, &got), ND_AGAIN);
    assert_int_equal(nd_bsd_wait(&bsd, 1), ND_AGAIN);
    assert_int_equal(port->udp_tx(a, &to, "x", 1, 0), 1);
    assert_int_equal(nd_bsd_wait(&bsd, LIMIT), ND_OK);
    assert_int_equal(port->step(&bsd), ND_STEP_DATAGRAM);
    assert_int_equal(nd_bsd_wait(&bsd, 1), ND_AGAIN); /* told already */
    assert_int_equal(port->udp_rx(b, &from, &got), 1);
    port->rx_done(b, 1);
}

static void an_instance_without_its_memory_is_refused(void **state) {
    (void)state;
    struct nd_bsd other;
    struct nd_bsd_cfg bad = cfg;
    bad.buffers = NULL;
    assert_int_equal(nd_bsd_init(&other, &bad), ND_E_ARG);
    bad = cfg;
    bad.slot_count = ND_CFG_BSD_SLOTS + 1;
    assert_int_equal(nd_bsd_init(&other, &bad), ND_E_ARG);
}

static void what_is_acknowledged_is_unknown_without_a_way_to_ask(void **state) {
    (void)state;
    struct nd_conn *listener;
    struct nd_conn *near;
    struct nd_conn *far;
    struct nd_conn_info info;
    assert_int_equal(port->listen(&bsd, &local, &listener), ND_OK);
    port->info(listener, &info);
    assert_int_equal(port->connect(&bsd, &info.local, &near), ND_OK);
    AWAIT(port->accept(listener, &far) == ND_OK);
    AWAIT(port->status(near) == ND_OK);
    port->info(near, &info);
    assert_int_equal(info.unacked_bytes, ND_NOT_SUPPORTED);
    assert_true(info.mss_bytes > 0);
    assert_int_equal(port->end(near), ND_OK);
}

static void an_opening_that_fails_tells_why(void **state) {
    (void)state;
    static const struct nd_addr nobody = {.family = 0};
    static const struct nd_addr foreign = {.ip = {192, 0, 2, 1}, .family = 4}; /* RFC 5737 */
    struct nd_conn *conn;
    assert_int_equal(nd_bsd_errno(&bsd), 0);
    assert_int_equal(port->listen(&bsd, &foreign, &conn), ND_E_UNREACHABLE);
    int first = nd_bsd_errno(&bsd);
    assert_int_not_equal(first, 0);
    assert_int_equal(port->connect(&bsd, &nobody, &conn), ND_E_ARG);
    assert_int_not_equal(nd_bsd_errno(&bsd), first);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
    static const struct CMUnitTest cases[] = {
        CASE(a_datagram_that_may_be_cut_is_dropped),
        CASE(the_sleep_ends_only_for_news),
        CASE(an_instance_without_its_memory_is_refused),
        CASE(what_is_acknowledged_is_unknown_without_a_way_to_ask),
        CASE(an_opening_that_fails_tells_why),
    };
    return cmocka_run_group_tests_name("bsd", cases, NULL, NULL);
}

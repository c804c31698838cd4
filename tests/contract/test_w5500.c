/* SPDX-License-Identifier: BSD-3-Clause */
/* test_w5500.c - what the contract's suite cannot see of the port over a W5500: what it costs on
 * the bus, what it does where the chip or the network does nothing, and who is cut off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "w5500_world.h"

#define SLOTS       4u
#define STAGE_BYTES 16384u
#define AWAIT_TURNS 60000u

static const struct nd_port *const port = &nd_port_w5500;
static struct nd_w5500 ctx;
static struct nd_w5500_slot slots[SLOTS];
static uint8_t stage[SLOTS * STAGE_BYTES];
static uint8_t bytes[16384];

static void turn(void) {
    world_turn();
    port->step(&ctx);
}

#define AWAIT(condition)                                                                           \
    for (unsigned waited = 0; !(condition); waited++) {                                            \
        assert_true(waited < AWAIT_TURNS);                                                         \
        turn();                                                                                    \
    }

static int start(struct nd_w5500_cfg cfg) {
    world_start();
    return nd_w5500_init(&ctx, &cfg, slots, SLOTS, stage, STAGE_BYTES);
}

static int setup(void **state) {
    struct nd_w5500_cfg cfg = world_cfg();

    (void)state;
    memcpy(cfg.rx_kib, (const uint8_t[]){8, 0, 0, 0, 2, 2, 2, 2}, sizeof cfg.rx_kib);
    memset(cfg.tx_kib, 2, sizeof cfg.tx_kib);
    return start(cfg);
}

static int teardown(void **state) {
    static const struct nd_chip_faults none;

    (void)state;
    return memcmp(nd_chip_faults(), &none, sizeof none) == 0 ? 0 : -1;
}

static struct nd_addr chip_at(uint16_t number) {
    return (struct nd_addr){.ip = {10, 0, 0, 2}, .family = 4, .port = number};
}

struct pair {
    struct nd_conn *near;
    struct nd_conn *far;
};

static struct pair pair_open(void) {
    const struct nd_addr at = chip_at(5001);
    struct nd_conn *listener = NULL;
    struct pair pair = {0};

    assert_int_equal(port->listen(&ctx, &at, &listener), ND_OK);
    assert_int_equal(port->connect(&ctx, &at, &pair.near), ND_OK);
    AWAIT(port->accept(listener, &pair.far) == ND_OK);
    AWAIT(port->status(pair.near) == ND_OK);
    port->close(listener);
    for (unsigned i = 0; i < 300; i++) { /* delayed acknowledgements, flags to clear */
        turn();
    }
    return pair;
}

/* ---- the bus ------------------------------------------------------------------------- */

/* Flags of all sockets, one state, a look, the flags, the data, the pointer and the command. */
static void a_segment_that_finds_a_socket_at_rest_costs_seven_transactions(void **state) {
    struct pair pair = pair_open();
    struct nd_bus_counts before;
    const void *there;

    (void)state;
    assert_int_equal(port->tx(pair.near, bytes, 1460, 0), 1460);
    world_turn();
    before = ctx.bus_counts;
    /* The sender's look, which is hot, belongs to it. */
    port->step(&ctx);
    assert_int_equal(port->rx(pair.far, &there), 1460);
    assert_in_range(ctx.bus_counts.selects - before.selects, 7, 8);
    assert_in_range(ctx.bus_counts.bytes - before.bytes, 1463, 1463 + 2 * 44 + 24);
    port->close(pair.near);
    port->close(pair.far);
}

/* Nothing to do costs two transactions of four bytes a step. */
static void a_step_at_rest_costs_two_short_transactions(void **state) {
    struct pair pair = pair_open();
    struct nd_bus_counts before = ctx.bus_counts;

    (void)state;
    for (unsigned i = 0; i < ND_W5500_SOCKETS; i++) {
        assert_int_equal(port->step(&ctx), 0);
    }
    assert_in_range(ctx.bus_counts.selects - before.selects, 8, 10); /* two are connections */
    assert_int_equal(ctx.bus_counts.bytes - before.bytes,
                     4 * (ctx.bus_counts.selects - before.selects));
    port->close(pair.near);
    port->close(pair.far);
}

static void send_datagrams(struct nd_conn *socket, const struct nd_addr *to, unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        AWAIT(port->udp_tx(socket, to, bytes, 1470, 0) == 1470);
        turn();
    }
}

/* The first socket has 8 KiB: five datagrams of 1470 and their headers. */
static void datagrams_that_wait_are_taken_together(void **state) {
    const struct nd_addr at = chip_at(5001);
    struct nd_conn *receiver = NULL;
    struct nd_conn *sender = NULL;
    struct nd_bus_counts before;
    struct nd_addr from;
    const void *there;

    (void)state;
    assert_int_equal(port->udp_open(&ctx, &at, &receiver), ND_OK);
    assert_int_equal(port->udp_open(&ctx, &(struct nd_addr){0}, &sender), ND_OK);
    send_datagrams(sender, &at, 5);
    before = ctx.bus_counts;
    for (unsigned i = 0; i < 5; i++) {
        assert_int_equal(port->udp_rx(receiver, &from, &there), 1470);
        assert_memory_equal(there, bytes, 1470);
        port->rx_done(receiver, 1470);
    }
    assert_int_equal(port->udp_rx(receiver, &from, &there), ND_AGAIN);
    assert_int_equal(ctx.counts.bursts, 1);
    assert_int_equal(ctx.bus_counts.selects - before.selects, 3); /* data, pointer, command */
    assert_int_equal(ctx.bus_counts.bytes - before.bytes, 3 + 5 * 1478 + 5 + 4);
}

/* ---- what changes while it is read ----------------------------------------------------- */

/* Datagrams of odd lengths, whose bytes tell where they are: none may come cut or spoilt. */
static void sizes_that_grow_while_they_are_read_are_never_too_large(void **state) {
    const struct nd_addr at = chip_at(5001);
    struct nd_w5500_cfg cfg = world_cfg();
    struct nd_conn *receiver = NULL;
    struct nd_conn *sender = NULL;
    struct nd_addr from;
    const void *there;
    unsigned came = 0;

    (void)state;
    for (uint32_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i % 251);
    }
    world_start_slow();
    assert_int_equal(nd_w5500_init(&ctx, &cfg, slots, SLOTS, stage, STAGE_BYTES), ND_OK);
    assert_int_equal(port->udp_open(&ctx, &at, &receiver), ND_OK);
    assert_int_equal(port->udp_open(&ctx, &(struct nd_addr){0}, &sender), ND_OK);
    for (unsigned i = 0; i < 4000; i++) {
        uint32_t len = 1 + i * 37 % 300;
        int32_t got;

        port->udp_tx(sender, &at, bytes, len, 0);
        port->step(&ctx);
        while ((got = port->udp_rx(receiver, &from, &there)) > 0) {
            assert_memory_equal(there, bytes, (size_t)got);
            port->rx_done(receiver, (uint32_t)got);
            came++;
        }
    }
    assert_true(came > 1000);
    assert_int_equal(ctx.counts.garbled, 0);
}

/* A burst of the receive buffer, spoilt once. */
static bool spoil;

static void spoiling_read(uint8_t *to, uint16_t len) {
    nd_chip_read(to, len);
    if (spoil && len > 100) {
        to[6] = 0xFF;
        spoil = false;
    }
}

static void a_header_spoilt_on_the_bus_costs_what_waits_and_no_more(void **state) {
    const struct nd_addr at = chip_at(5001);
    struct nd_conn *socket = NULL;
    struct nd_addr from;
    const void *there;

    (void)state;
    ctx.bus.read = spoiling_read;
    assert_int_equal(port->udp_open(&ctx, &at, &socket), ND_OK);
    send_datagrams(socket, &at, 1);
    spoil = true;
    AWAIT(port->udp_rx(socket, &from, &there) == ND_AGAIN && ctx.counts.garbled == 1);
    send_datagrams(socket, &at, 1);
    AWAIT(port->udp_rx(socket, &from, &there) == 1470);
    assert_int_equal(ctx.counts.garbled, 1);
}

/* ---- a chip and a network that do nothing -------------------------------------------- */

static unsigned dead_reads;

static void dead_select(void) {
}

static void dead_read(uint8_t *to, uint16_t len) {
    dead_reads++;
    memset(to, 0xFF, len);
}

static void dead_write(uint8_t *from, uint16_t len) {
    (void)from;
    (void)len;
}

static void a_bus_without_a_chip_is_told_soon(void **state) {
    struct nd_w5500_cfg cfg = world_cfg();

    (void)state;
    cfg.bus = (struct nd_w5500_bus){dead_select, dead_select, dead_read, dead_write};
    dead_reads = 0;
    assert_int_equal(start(cfg), ND_E_UNSUPPORTED);
    assert_in_range(dead_reads, 1, 10000);
}

/* The bus of a chip that dies: its command register never goes back to 0. */
static void a_chip_that_dies_blocks_nobody(void **state) {
    struct pair pair = pair_open();
    const void *there;

    (void)state;
    ctx.bus = (struct nd_w5500_bus){dead_select, dead_select, dead_read, dead_write};
    dead_reads = 0;
    for (unsigned i = 0; i < 100; i++) {
        port->step(&ctx);
        port->tx(pair.near, bytes, 100, 0);
        port->rx(pair.far, &there);
    }
    assert_true(ctx.counts.stuck > 0);
    assert_in_range(dead_reads, 1, 100 * 100);
}

static void nobody_at_an_address_times_out(void **state) {
    const struct nd_addr nobody = {.ip = {10, 0, 0, 9}, .family = 4, .port = 7};
    struct nd_conn *conn = NULL;

    (void)state;
    world_cut();
    assert_int_equal(port->connect(&ctx, &nobody, &conn), ND_OK);
    AWAIT(port->status(conn) != ND_AGAIN);
    assert_int_equal(port->status(conn), ND_E_TIMEOUT);
    assert_int_equal(port->cause(conn), 0x10800); /* Sn_IR: TIMEOUT, Sn_SR: closed */
    port->close(conn);
}

static void a_datagram_that_nobody_asked_for_is_counted_and_blocks_nothing(void **state) {
    const struct nd_addr nobody = {.ip = {10, 0, 0, 9}, .family = 4, .port = 7};
    const struct nd_addr at = chip_at(5001);
    struct nd_conn *socket = NULL;
    struct nd_addr from;
    const void *there;

    (void)state;
    assert_int_equal(port->udp_open(&ctx, &at, &socket), ND_OK);
    assert_int_equal(port->udp_tx(socket, &nobody, bytes, 100, 0), 100);
    assert_int_equal(port->udp_tx(socket, &at, bytes, 100, 0), ND_AGAIN);
    AWAIT(ctx.counts.unreachable == 1);
    AWAIT(port->udp_tx(socket, &at, bytes, 100, 0) == 100);
    AWAIT(port->udp_rx(socket, &from, &there) == 100);
}

static void a_peer_that_vanishes_times_out(void **state) {
    struct pair pair = pair_open();

    (void)state;
    world_cut();
    assert_int_equal(port->tx(pair.near, bytes, 100, 0), 100);
    AWAIT(port->status(pair.near) != ND_OK);
    assert_int_equal(port->status(pair.near), ND_E_TIMEOUT);
    port->close(pair.near);
    port->close(pair.far);
}

/* ---- sockets and sizes --------------------------------------------------------------- */

static void sizes_that_the_chip_has_not_are_refused(void **state) {
    struct nd_w5500_cfg cfg = world_cfg();

    (void)state;
    memset(cfg.rx_kib, 4, sizeof cfg.rx_kib); /* 32 KiB */
    memset(cfg.tx_kib, 2, sizeof cfg.tx_kib);
    assert_int_equal(start(cfg), ND_E_ARG);
    memset(cfg.rx_kib, 0, sizeof cfg.rx_kib);
    cfg.rx_kib[0] = 3;
    assert_int_equal(start(cfg), ND_E_ARG);
    cfg.rx_kib[0] = 16;
    assert_int_equal(start(cfg), ND_OK);
}

/* Of a chip with four sockets one has an end that lingers, and the other end has another. */
static void a_connection_that_finishes_gives_way_to_a_new_one(void **state) {
    const struct nd_addr nobody = {.ip = {10, 0, 0, 9}, .family = 4, .port = 7};
    struct nd_w5500_cfg cfg = world_cfg();
    struct nd_conn *conn = NULL;
    struct pair pair;

    (void)state;
    memset(cfg.rx_kib, 4, 4);
    memset(cfg.tx_kib, 4, 4);
    assert_int_equal(start(cfg), ND_OK);
    pair = pair_open();
    assert_true(port->end(pair.near) >= ND_AGAIN);
    port->close(pair.near);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(ctx.counts.cut_off, 0);
        assert_int_equal(port->connect(&ctx, &nobody, &conn), ND_OK);
    }
    assert_int_equal(ctx.counts.cut_off, 1);
    assert_int_equal(port->connect(&ctx, &nobody, &conn), ND_E_FULL);
    AWAIT(port->status(pair.far) == ND_E_RESET);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    static const struct CMUnitTest cases[] = {
        CASE(a_segment_that_finds_a_socket_at_rest_costs_seven_transactions),
        CASE(a_step_at_rest_costs_two_short_transactions),
        CASE(datagrams_that_wait_are_taken_together),
        CASE(sizes_that_grow_while_they_are_read_are_never_too_large),
        CASE(a_header_spoilt_on_the_bus_costs_what_waits_and_no_more),
        CASE(a_bus_without_a_chip_is_told_soon),
        CASE(a_chip_that_dies_blocks_nobody),
        CASE(nobody_at_an_address_times_out),
        CASE(a_datagram_that_nobody_asked_for_is_counted_and_blocks_nothing),
        CASE(a_peer_that_vanishes_times_out),
        CASE(sizes_that_the_chip_has_not_are_refused),
        CASE(a_connection_that_finishes_gives_way_to_a_new_one),
    };

    return cmocka_run_group_tests_name("w5500", cases, NULL, NULL);
}

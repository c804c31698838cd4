/* SPDX-License-Identifier: BSD-3-Clause */
/* test_w5500.c - the model of the W5500, driven by its registers alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "w5500_world.h"

#define REGISTERS(n) (uint8_t)((n) << 5 | 1u << 3)
#define TX_BUFFER(n) (uint8_t)((n) << 5 | 2u << 3)
#define RX_BUFFER(n) (uint8_t)((n) << 5 | 3u << 3)
#define WRITE        4u

static void transfer_prefix(uint16_t at, uint8_t control) {
    uint8_t prefix[3] = {(uint8_t)(at >> 8), (uint8_t)at, control};

    nd_chip_select();
    nd_chip_write(prefix, sizeof prefix);
}

static void put(uint8_t block, uint16_t at, const uint8_t *bytes, uint16_t len) {
    uint8_t copy[2048];

    memcpy(copy, bytes, len);
    transfer_prefix(at, block | WRITE);
    nd_chip_write(copy, len);
    nd_chip_deselect();
}

static void get(uint8_t block, uint16_t at, uint8_t *bytes, uint16_t len) {
    transfer_prefix(at, block);
    nd_chip_read(bytes, len);
    nd_chip_deselect();
}

static void put8(uint8_t block, uint16_t at, uint8_t value) {
    put(block, at, &value, 1);
}

static void put16(uint8_t block, uint16_t at, uint16_t value) {
    const uint8_t bytes[2] = {(uint8_t)(value >> 8), (uint8_t)value};

    put(block, at, bytes, 2);
}

static uint8_t get8(uint8_t block, uint16_t at) {
    uint8_t value;

    get(block, at, &value, 1);
    return value;
}

static uint16_t get16(uint8_t block, uint16_t at) {
    uint8_t bytes[2];

    get(block, at, bytes, 2);
    return (uint16_t)(bytes[0] << 8 | bytes[1]);
}

static void command(unsigned n, uint8_t value) {
    put8(REGISTERS(n), 0x01, value);
    for (unsigned tries = 0; get8(REGISTERS(n), 0x01) != 0; tries++) {
        assert_true(tries < 10);
    }
}

static void open_socket(unsigned n, uint8_t mode, uint16_t local_port) {
    put8(REGISTERS(n), 0x00, mode);
    put16(REGISTERS(n), 0x04, local_port);
    command(n, 0x01);
}

static void set_peer(unsigned n, uint8_t host, uint16_t number) {
    const uint8_t bytes[6] = {10, 0, 0, host, (uint8_t)(number >> 8), (uint8_t)number};

    put(REGISTERS(n), 0x0C, bytes, sizeof bytes);
}

static void send_bytes(unsigned n, const uint8_t *bytes, uint16_t len) {
    uint16_t at = get16(REGISTERS(n), 0x24);

    put(TX_BUFFER(n), at, bytes, len);
    put16(REGISTERS(n), 0x24, (uint16_t)(at + len));
    command(n, 0x20);
}

static void turns(unsigned count) {
    for (unsigned i = 0; i < count; i++) {
        world_turn();
    }
}

static int setup(void **state) {
    static const uint8_t addresses[18] = {0, 0, 0, 0, 255,  255, 255, 0, 0x02,
                                          0, 0, 0, 0, 0x01, 10,  0,   0, 2};

    (void)state;
    world_start();
    put(0, 0x01, addresses, sizeof addresses);
    return 0;
}

/* ---- the bus ------------------------------------------------------------------------- */

static void registers_have_their_reset_values(void **state) {
    (void)state;
    assert_int_equal(get8(0, 0x39), 0x04);
    assert_int_equal(get16(0, 0x19), 2000);
    assert_int_equal(get8(0, 0x1B), 8);
    assert_int_equal(get8(0, 0x2E) & 1, 1);
    for (unsigned n = 0; n < 8; n++) {
        assert_int_equal(get16(REGISTERS(n), 0x1E), 0x0202);
        assert_int_equal(get16(REGISTERS(n), 0x20), 2048);
        assert_int_equal(get8(REGISTERS(n), 0x03), 0);
    }
    put8(0, 0x00, 0x80);
    assert_int_equal(get8(0, 0x00), 0);
    assert_int_equal(get8(0, 0x12), 0); /* the address is gone, too */
}

/* In fixed-length mode the next frame begins without a deselect. */
static void frames_of_fixed_length_follow_each_other(void **state) {
    uint8_t twice[10] = {0, 0x19, 0x02, 0, 0, 0, 0x39, 0x01, 0, 0};

    (void)state;
    nd_chip_select();
    nd_chip_write(twice, 3);
    nd_chip_read(twice, 2);
    nd_chip_write(twice + 5, 3);
    nd_chip_read(twice + 2, 1);
    nd_chip_deselect();
    assert_memory_equal(twice, ((const uint8_t[]){0x07, 0xD0, 0x04}), 3);
}

/* 1 us for the transaction, 4 bytes at 33 MHz. */
static void a_transfer_takes_its_clocks(void **state) {
    uint64_t begin = world_ns();

    (void)state;
    for (unsigned i = 0; i < 33; i++) {
        get8(0, 0x39);
    }
    assert_int_equal(world_ns() - begin, 33 * 1000 + 4 * 8 * 1000);
}

static void a_command_reads_back_until_it_is_taken(void **state) {
    (void)state;
    put8(REGISTERS(0), 0x00, 1);
    transfer_prefix(0x01, REGISTERS(0) | WRITE);
    nd_chip_write((uint8_t[]){0x01}, 1);
    nd_chip_deselect();
    assert_int_equal(nd_chip_faults()->early_commands, 0);
    command(1, 0x10); /* another socket's goes its own way */
    assert_int_equal(get8(REGISTERS(0), 0x01), 0);
    assert_int_equal(get8(REGISTERS(0), 0x03), 0x13);
}

static void a_socket_without_a_size_holds_nothing_and_too_much_is_a_fault(void **state) {
    (void)state;
    put16(REGISTERS(0), 0x1E, 0x1010);
    open_socket(0, 2, 5000);
    assert_int_equal(nd_chip_faults()->oversized, 1);
    for (unsigned n = 1; n < 8; n++) {
        put16(REGISTERS(n), 0x1E, 0);
    }
    open_socket(0, 2, 5000);
    assert_int_equal(nd_chip_faults()->oversized, 1);
    assert_int_equal(get16(REGISTERS(0), 0x20), 16384);
}

/* ---- datagrams ----------------------------------------------------------------------- */

static void a_datagram_lies_behind_its_header(void **state) {
    static const uint8_t expected[] = {10, 0, 0, 2, 0x13, 0x88, 0, 5, 'h', 'e', 'l', 'l', 'o'};
    uint8_t got[sizeof expected];

    (void)state;
    open_socket(0, 2, 5000);
    open_socket(1, 2, 6000);
    set_peer(0, 2, 6000);
    send_bytes(0, (const uint8_t *)"hello", 5);
    turns(5);
    assert_int_equal(get8(REGISTERS(0), 0x02), 0x10); /* SENDOK */
    assert_int_equal(get8(REGISTERS(1), 0x02), 0x04); /* RECV */
    assert_int_equal(get8(0, 0x17), 0x03);            /* both ask */
    assert_false(nd_chip_interrupt());
    put8(0, 0x18, 0x02);
    assert_true(nd_chip_interrupt());
    assert_int_equal(get16(REGISTERS(1), 0x26), sizeof expected);
    get(RX_BUFFER(1), get16(REGISTERS(1), 0x28), got, sizeof got);
    assert_memory_equal(got, expected, sizeof expected);
    put8(REGISTERS(1), 0x02, 0x04);
    assert_int_equal(get8(0, 0x17), 0x01);
    assert_false(nd_chip_interrupt());
}

static void room_comes_back_with_the_command_not_with_the_pointer(void **state) {
    (void)state;
    open_socket(0, 2, 5000);
    set_peer(0, 2, 5000);
    send_bytes(0, (const uint8_t *)"hello", 5);
    turns(5);
    put16(REGISTERS(0), 0x28, (uint16_t)(get16(REGISTERS(0), 0x28) + 13));
    assert_int_equal(get16(REGISTERS(0), 0x26), 13);
    command(0, 0x40);
    assert_int_equal(get16(REGISTERS(0), 0x26), 0);
    put16(REGISTERS(0), 0x28, (uint16_t)(get16(REGISTERS(0), 0x28) + 1));
    command(0, 0x40);
    assert_int_equal(nd_chip_faults()->rx_overreads, 1);
}

static void a_datagram_without_room_is_dropped_whole(void **state) {
    static const uint8_t bytes[1472];
    uint32_t dropped = nd_chip_dropped_datagrams();

    (void)state;
    open_socket(0, 2, 5000);
    open_socket(1, 2, 6000);
    set_peer(0, 2, 6000);
    for (unsigned i = 0; i < 3; i++) {
        send_bytes(0, bytes, sizeof bytes);
        turns(5);
    }
    assert_int_equal(get16(REGISTERS(1), 0x26), 1480);
    assert_int_equal(nd_chip_dropped_datagrams() - dropped, 2);
}

/* 200 ms for each of nine tries. */
static void a_datagram_to_nobody_ends_in_a_timeout(void **state) {
    unsigned waited = 0;

    (void)state;
    open_socket(0, 2, 5000);
    set_peer(0, 9, 6000);
    send_bytes(0, (const uint8_t *)"hello", 5);
    while (get8(REGISTERS(0), 0x02) == 0) {
        turns(1);
        waited++;
    }
    assert_int_equal(get8(REGISTERS(0), 0x02), 0x08);
    assert_in_range(waited, 1790, 1810);
}

/* ---- connections --------------------------------------------------------------------- */

static void a_listening_socket_becomes_the_connection(void **state) {
    uint8_t peer[6];

    (void)state;
    open_socket(3, 1, 80);
    command(3, 0x02);
    assert_int_equal(get8(REGISTERS(3), 0x03), 0x14);
    open_socket(5, 1, 1234);
    set_peer(5, 2, 80);
    command(5, 0x04);
    turns(10);
    assert_int_equal(get8(REGISTERS(3), 0x03), 0x17);
    assert_int_equal(get8(REGISTERS(5), 0x03), 0x17);
    assert_int_equal(get8(REGISTERS(3), 0x02), 0x01);
    get(REGISTERS(3), 0x0C, peer, sizeof peer);
    assert_memory_equal(peer, ((const uint8_t[]){10, 0, 0, 2, 0x04, 0xD2}), 6);
}

/* What is not acknowledged keeps its room: SENDOK only says that it left. */
static void room_to_send_comes_back_when_it_is_acknowledged(void **state) {
    static const uint8_t bytes[100];

    (void)state;
    a_listening_socket_becomes_the_connection(state);
    send_bytes(5, bytes, sizeof bytes);
    assert_int_equal(get8(REGISTERS(5), 0x02) & 0x10, 0x10);
    assert_int_equal(get16(REGISTERS(5), 0x20), 2048 - sizeof bytes);
    turns(300);
    assert_int_equal(get16(REGISTERS(5), 0x20), 2048);
    assert_int_equal(get16(REGISTERS(3), 0x26), sizeof bytes);
}

static void an_end_goes_through_the_states(void **state) {
    (void)state;
    a_listening_socket_becomes_the_connection(state);
    command(5, 0x08);
    turns(5);
    assert_int_equal(get8(REGISTERS(5), 0x03), 0x18); /* FIN_WAIT */
    assert_int_equal(get8(REGISTERS(3), 0x03), 0x1C); /* CLOSE_WAIT */
    assert_int_equal(get8(REGISTERS(3), 0x02) & 0x02, 0x02);
    command(3, 0x08);
    turns(5);
    assert_int_equal(get8(REGISTERS(5), 0x03), 0);
    assert_int_equal(get8(REGISTERS(3), 0x03), 0);
}

/* The CLOSE command says nothing on the wire; the next word of the peer is answered by a reset. */
static void a_socket_closed_without_a_word_resets_who_speaks_to_it(void **state) {
    (void)state;
    a_listening_socket_becomes_the_connection(state);
    command(5, 0x10);
    turns(300);
    assert_int_equal(get8(REGISTERS(3), 0x03), 0x17);
    send_bytes(3, (const uint8_t *)"x", 1);
    turns(5);
    assert_int_equal(get8(REGISTERS(3), 0x03), 0);
    assert_int_equal(get8(REGISTERS(3), 0x02) & 0x0A, 0); /* neither DISCON nor TIMEOUT */
}

static void a_second_socket_may_listen_on_the_same_port(void **state) {
    (void)state;
    open_socket(0, 1, 80);
    command(0, 0x02);
    open_socket(1, 1, 80);
    command(1, 0x02);
    for (unsigned n = 4; n < 7; n++) {
        open_socket(n, 1, (uint16_t)(2000 + n));
        set_peer(n, 2, 80);
        command(n, 0x04);
    }
    turns(10);
    assert_int_equal(get8(REGISTERS(0), 0x03), 0x17);
    assert_int_equal(get8(REGISTERS(1), 0x03), 0x17);
    turns(4000); /* the third asks again, and is refused */
    assert_int_equal(get8(REGISTERS(6), 0x03), 0);
}

#define CASE(name) cmocka_unit_test_setup(name, setup)

int main(void) {
    static const struct CMUnitTest cases[] = {
        CASE(registers_have_their_reset_values),
        CASE(frames_of_fixed_length_follow_each_other),
        CASE(a_transfer_takes_its_clocks),
        CASE(a_command_reads_back_until_it_is_taken),
        CASE(a_socket_without_a_size_holds_nothing_and_too_much_is_a_fault),
        CASE(a_datagram_lies_behind_its_header),
        CASE(room_comes_back_with_the_command_not_with_the_pointer),
        CASE(a_datagram_without_room_is_dropped_whole),
        CASE(a_datagram_to_nobody_ends_in_a_timeout),
        CASE(a_listening_socket_becomes_the_connection),
        CASE(room_to_send_comes_back_when_it_is_acknowledged),
        CASE(an_end_goes_through_the_states),
        CASE(a_socket_closed_without_a_word_resets_who_speaks_to_it),
        CASE(a_second_socket_may_listen_on_the_same_port),
    };

    return cmocka_run_group_tests_name("w5500 model", cases, NULL, NULL);
}

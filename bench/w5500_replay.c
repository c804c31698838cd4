/* SPDX-License-Identifier: BSD-3-Clause */
/* w5500_replay.c - in the place of WIZnet's driver where its sources are not at hand: the same
 * sequence of transactions, on the same model. A register of two bytes is two transactions, a size
 * is read until it is the same twice, and each piece that is taken has a RECV of its own. */
#include "w5500_driver.h"

#include <string.h>

enum { WRITE = 4, REGISTERS = 1, TX_BUFFER = 2, RX_BUFFER = 3 };

static struct nd_w5500_bus spi;
static uint8_t buffer[16384];
static bool is_sending;

/* select: the upper five bits of the control byte. */
static void transfer_at(unsigned select, uint16_t at, uint8_t *bytes, uint16_t len,
                        unsigned control) {
    uint8_t prefix[3] = {(uint8_t)(at >> 8), (uint8_t)at, (uint8_t)(select << 3 | control)};

    spi.select();
    spi.write(prefix, sizeof prefix);
    (control != 0 ? spi.write : spi.read)(bytes, len);
    spi.deselect();
}

static void transfer(unsigned block, uint16_t at, uint8_t *bytes, uint16_t len, unsigned control) {
    transfer_at(DRIVER_SOCKET << 2 | block, at, bytes, len, control);
}

static uint8_t read8(uint16_t at) {
    uint8_t value;

    transfer(REGISTERS, at, &value, 1, 0);
    return value;
}

static void write8(uint16_t at, uint8_t value) {
    transfer(REGISTERS, at, &value, 1, WRITE);
}

static uint16_t read16(uint16_t at) {
    const uint8_t high = read8(at);

    return (uint16_t)(high << 8 | read8((uint16_t)(at + 1)));
}

static void write16(uint16_t at, uint16_t value) {
    write8(at, (uint8_t)(value >> 8));
    write8((uint16_t)(at + 1), (uint8_t)value);
}

static uint16_t read_size(uint16_t at) {
    uint16_t first;
    uint16_t second = 0;

    do {
        first = read16(at);
        if (first != 0) {
            second = read16(at);
        }
    } while (first != second);
    return first;
}

static void command(uint8_t value) {
    write8(0x01, value);
    while (read8(0x01) != 0) {
    }
}

static void start(const struct nd_w5500_bus *bus) {
    static const uint8_t registers[18] = {[4] = 255, 255, 255, 0,  0x02, 0x6E, 0x64,
                                          0,         0,   1,   10, 0,    0,    2};
    uint8_t addresses[sizeof registers];

    spi = *bus;
    memcpy(addresses, registers, sizeof addresses);
    transfer_at(0, 0x01, addresses, sizeof addresses, WRITE);
    for (unsigned i = 0; i < ND_W5500_SOCKETS; i++) {
        uint8_t sizes[2] = {0, 0};

        transfer_at(i << 2 | REGISTERS, 0x1E, sizes, sizeof sizes, WRITE);
    }
    write16(0x1E, 0x0808);
    is_sending = false;
}

static void open_socket(uint8_t mode) {
    write8(0x00, mode);
    write16(0x04, DRIVER_PORT);
    command(0x01);
}

static void listen_there(void) {
    open_socket(1);
    command(0x02);
}

static void accept_there(void) {
    while (read8(0x03) != 0x17) {
    }
}

static void open_udp(void) {
    open_socket(2);
}

static void take(uint16_t len) {
    const uint16_t at = read16(0x28);

    transfer(RX_BUFFER, at, buffer, len, 0);
    write16(0x28, (uint16_t)(at + len));
    command(0x40);
}

/* Mode, buffer size, received size, state; then all there is. */
static uint32_t receive(bool all) {
    uint16_t len;

    (void)all;
    read8(0x00);
    read8(0x1E);
    len = read_size(0x26);
    read8(0x03);
    take(len);
    return len;
}

/* Mode, received size, state; the header, then the datagram. */
static uint32_t receive_udp(bool all) {
    uint32_t total = 0;

    do {
        uint16_t len;

        read8(0x00);
        read_size(0x26);
        read8(0x03);
        take(8);
        len = (uint16_t)(buffer[6] << 8 | buffer[7]);
        take(len);
        total += len;
    } while (all && read_size(0x26) > 0);
    return total;
}

static void settle(void) {
    read_size(0x26);
}

/* Mode, state, buffer size, free size, state again; the bytes; that the SEND before is done; SEND.
 */
static void send_there(uint8_t *bytes, uint16_t len) {
    uint16_t at;

    read8(0x00);
    read8(0x03);
    read8(0x1F);
    read_size(0x20);
    read8(0x03);
    at = read16(0x24);
    transfer(TX_BUFFER, at, bytes, len, WRITE);
    write16(0x24, (uint16_t)(at + len));
    if (is_sending) {
        while ((read8(0x02) & 0x10) == 0) {
        }
        write8(0x02, 0x10);
    }
    command(0x20);
    is_sending = true;
}

const struct driver driver_theirs = {.name = "its sequence, replayed",
                                     .start = start,
                                     .listen = listen_there,
                                     .accept = accept_there,
                                     .open_udp = open_udp,
                                     .receive = receive,
                                     .receive_udp = receive_udp,
                                     .settle = settle,
                                     .send = send_there};

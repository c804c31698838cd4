/* SPDX-License-Identifier: BSD-3-Clause */
/* w5500_iolibrary.c - WIZnet's driver itself, as w5500_bus.c measures it. Its functions have the
 * names of the C library's sockets; the build gives them others. */
#include "w5500_driver.h"

#include <socket.h>
#include <wizchip_conf.h>

static struct nd_w5500_bus spi;
static uint8_t buffer[16384];

static uint8_t read_byte(void) {
    uint8_t byte;

    spi.read(&byte, 1);
    return byte;
}

static void write_byte(uint8_t byte) {
    spi.write(&byte, 1);
}

static void start(const struct nd_w5500_bus *bus) {
    static wiz_NetInfo net = {
        .mac = {0x02, 0x6E, 0x64, 0, 0, 1}, .ip = DRIVER_IP, .sn = {255, 255, 255, 0}};
    uint8_t sizes[8] = {[DRIVER_SOCKET] = 8};

    spi = *bus;
    reg_wizchip_cs_cbfunc(spi.select, spi.deselect);
    reg_wizchip_spi_cbfunc(read_byte, write_byte);
    reg_wizchip_spiburst_cbfunc(spi.read, spi.write);
    wizchip_init(sizes, sizes);
    wizchip_setnetinfo(&net);
}

static void listen_there(void) {
    socket(DRIVER_SOCKET, Sn_MR_TCP, DRIVER_PORT, 0);
    listen(DRIVER_SOCKET);
}

static void accept_there(void) {
    while (getSn_SR(DRIVER_SOCKET) != SOCK_ESTABLISHED) {
    }
}

static void open_udp(void) {
    socket(DRIVER_SOCKET, Sn_MR_UDP, DRIVER_PORT, 0);
}

/* Its call for what waits takes all of a stream anyway. */
static uint32_t receive(bool all) {
    (void)all;
    return (uint32_t)recv(DRIVER_SOCKET, buffer, sizeof buffer);
}

static uint32_t receive_udp(bool all) {
    uint8_t ip[4];
    uint16_t from;
    uint32_t total = 0;

    do {
        total += (uint32_t)recvfrom_W5x00(DRIVER_SOCKET, buffer, sizeof buffer, ip, &from);
    } while (all && getSn_RX_RSR(DRIVER_SOCKET) > 0);
    return total;
}

/* What an application does before a call that would wait. */
static void settle(void) {
    getSn_RX_RSR(DRIVER_SOCKET);
}

static void send_there(uint8_t *bytes, uint16_t len) {
    send(DRIVER_SOCKET, bytes, len);
}

const struct driver driver_theirs = {.name = "ioLibrary",
                                     .start = start,
                                     .listen = listen_there,
                                     .accept = accept_there,
                                     .open_udp = open_udp,
                                     .receive = receive,
                                     .receive_udp = receive_udp,
                                     .settle = settle,
                                     .send = send_there};

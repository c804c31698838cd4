/* SPDX-License-Identifier: BSD-3-Clause */
/* board.h - what the example wants of the board. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lwip/err.h"
#include "lwip/netif.h"

/* Clocks, pins, UART; and the cycle counter running. */
void board_start(void);

/* Where the cycles are counted (0xE0001004 on ARMv7-M), and how many a second there are. */
extern const volatile uint32_t *board_cycle_counter;
uint32_t board_core_hz(void);

/* The driver of the Ethernet controller, as every port of lwIP has it: its netif, and handing what
 * was received to netif->input. */
err_t board_ethernet_init(struct netif *netif);
void board_ethernet_poll(struct netif *netif);

/* One byte, if there is one; and as many bytes as there is room for. */
bool board_uart_read(char *byte);
size_t board_uart_write(const char *bytes, size_t len);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* bus.h - the four bus functions of the W5500; whoever has ioLibrary running has them already. */
#ifndef BUS_H
#define BUS_H

#include <stdint.h>

/* Pins, clock, and the chip out of its reset. */
void bus_start(void);

void bus_select(void);
void bus_deselect(void);
void bus_read(uint8_t *bytes, uint16_t len);
void bus_write(uint8_t *bytes, uint16_t len);

#endif

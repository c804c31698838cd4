/* SPDX-License-Identifier: BSD-3-Clause */
/* bus.h - transactions: two bytes of address, one of control, data. Each is counted. */
#ifndef ND_W5500_BUS_H
#define ND_W5500_BUS_H

#include "nd_w5500.h"
#include "registers.h"

/* Where in the chip: the upper five bits of the control byte. */
enum nd__w5500_block {
    ND__W5500_COMMON,
    ND__W5500_REGISTERS,
    ND__W5500_TX_BUFFER,
    ND__W5500_RX_BUFFER
};

/* Read or write len bytes in one transaction; `number` is the socket's, 0 for the common block. */
void nd__w5500_read(struct nd_w5500 *port, enum nd__w5500_block block, unsigned number, uint16_t at,
                    uint8_t *bytes, uint16_t len);
void nd__w5500_write(struct nd_w5500 *port, enum nd__w5500_block block, unsigned number,
                     uint16_t at, const uint8_t *bytes, uint16_t len);

#endif

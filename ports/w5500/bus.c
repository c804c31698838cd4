/* SPDX-License-Identifier: BSD-3-Clause */
#include "bus.h"

#define PREFIX_BYTES 3u

/* Bit 2 of the control byte; its lowest two stay 0: the chip select tells the length. */
#define CONTROL_WRITE 4u

static void begin(struct nd_w5500 *port, enum nd__w5500_block block, unsigned number, uint16_t at,
                  unsigned control) {
    uint8_t prefix[PREFIX_BYTES] = {(uint8_t)(at >> 8), (uint8_t)at,
                                    (uint8_t)((number * 4u + block) << 3 | control)};

    port->bus_counts.selects++;
    port->bus.select();
    port->bus.write(prefix, sizeof prefix);
}

static void finish(struct nd_w5500 *port, uint16_t len) {
    port->bus.deselect();
    port->bus_counts.bytes += PREFIX_BYTES + len;
}

void nd__w5500_read(struct nd_w5500 *port, enum nd__w5500_block block, unsigned number, uint16_t at,
                    uint8_t *bytes, uint16_t len) {
    begin(port, block, number, at, 0);
    port->bus.read(bytes, len);
    finish(port, len);
}

void nd__w5500_write(struct nd_w5500 *port, enum nd__w5500_block block, unsigned number,
                     uint16_t at, const uint8_t *bytes, uint16_t len) {
    begin(port, block, number, at, CONTROL_WRITE);
    /* The bus function is declared as in existing drivers, which do not write through it. */
    port->bus.write((uint8_t *)(uintptr_t)bytes, len);
    finish(port, len);
}

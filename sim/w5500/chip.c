/* SPDX-License-Identifier: BSD-3-Clause */
/* chip.c - the SPI frame, the common registers, and what a transfer costs. */
#include "w5500/model.h"

#include <string.h>

#define NS_PER_S UINT64_C(1000000000)

/* Address and control phase, before the data of a frame [byte]. */
#define PREFIX_BYTES 3u

struct nd__chip nd__chip;

/* The frame under way. */
static struct {
    bool selected;
    uint8_t prefix[PREFIX_BYTES];
    uint32_t count;     /* bytes of the frame so far */
    uint32_t bits_owed; /* of the clock, not yet a whole nanosecond of 1/spi_hz */
    bool address_dirty; /* an address register was written in this frame */
} frame;

/* ---- common registers ---- */

static uint8_t socket_interrupts(void) {
    uint8_t flags = 0;

    for (unsigned i = 0; i < ND__SOCKETS; i++) {
        const struct nd__socket *s = &nd__chip.sockets[i];

        if ((s->ir & s->reg[ND__SN_IMR]) != 0) {
            flags = (uint8_t)(flags | 1u << i);
        }
    }
    return flags;
}

static void reset(void) {
    for (unsigned i = 0; i < ND__SOCKETS; i++) {
        nd__socket_reset(&nd__chip.sockets[i]);
    }
    nd__net_stop();
    memset(nd__chip.reg, 0, sizeof nd__chip.reg);
    nd__put16(nd__chip.reg + ND__RTR, ND__RTR_RESET);
    nd__chip.reg[ND__RCR] = ND__RCR_RESET;
    nd__chip.reg[ND__PTIMER] = 0x28;
    nd__chip.reg[ND__PHYCFGR] = ND__PHYCFGR_UP;
    nd__chip.reg[ND__VERSIONR] = ND__VERSION;
    nd__net_readdress();
}

void nd_chip_start(const struct nd_chip_cfg *cfg) {
    nd__chip.cfg = *cfg;
    memset(&nd__chip.faults, 0, sizeof nd__chip.faults);
    memset(&frame, 0, sizeof frame);
    nd__net_start();
    reset();
}

bool nd_chip_interrupt(void) {
    return (socket_interrupts() & nd__chip.reg[ND__SIMR]) != 0;
}

uint32_t nd_chip_dropped_datagrams(void) {
    return nd__chip.dropped_datagrams;
}

const struct nd_chip_faults *nd_chip_faults(void) {
    return &nd__chip.faults;
}

static uint8_t read_common(uint16_t at) {
    if (at == ND__SIR) {
        return socket_interrupts();
    }
    return at < ND__COMMON_REGISTERS ? nd__chip.reg[at] : 0;
}

static void write_common(uint16_t at, uint8_t value) {
    if (at == ND__MR && (value & ND__MR_RST) != 0) {
        reset();
        return;
    }
    if (at >= ND__COMMON_REGISTERS || at == ND__SIR || at == ND__PHYCFGR || at == ND__VERSIONR) {
        return;
    }
    nd__chip.reg[at] = value;
    frame.address_dirty |= at >= ND__GAR && at < ND__SIPR + 4;
}

/* ---- the frame: two bytes of address, one of control, data ---- */

/* The control byte: block select, write or read, length of the data (0 = until deselected). */
static unsigned block(void) {
    return frame.prefix[2] >> 3;
}

static bool is_write(void) {
    return (frame.prefix[2] & 4u) != 0;
}

static uint32_t fixed_length(void) {
    static const uint32_t lengths[] = {0, 1, 2, 4};

    return lengths[frame.prefix[2] & 3u];
}

static uint8_t access_byte(uint16_t at, uint8_t value) {
    struct nd__socket *s = &nd__chip.sockets[block() >> 2];
    uint8_t *byte;

    switch (block() & 3u) {
    case 0:
        if (block() != 0) {
            nd__chip.faults.bad_blocks++;
            return 0;
        }
        if (is_write()) {
            write_common(at, value);
            return 0;
        }
        return read_common(at);
    case 1:
        if (is_write()) {
            nd__socket_write(s, at, value);
            return 0;
        }
        return nd__socket_read(s, at);
    case 2:
        byte = &s->tx[at & (nd__tx_size(s) - 1) & (ND__BUFFER_BYTES - 1)];
        break;
    default:
        byte = &s->rx[at & (nd__rx_size(s) - 1) & (ND__BUFFER_BYTES - 1)];
        if (is_write()) {
            return 0; /* the chip's to fill */
        }
        break;
    }
    if (is_write()) {
        *byte = value;
    }
    return *byte;
}

/* One byte out, one byte in. */
static uint8_t exchange(uint8_t out) {
    uint32_t at;
    uint8_t in;

    if (!frame.selected) {
        return 0xFF;
    }
    if (frame.count < PREFIX_BYTES) {
        frame.prefix[frame.count++] = out;
        return (uint8_t)frame.count; /* as the chip: 01 02 03 */
    }
    at = nd__get16(frame.prefix) + frame.count - PREFIX_BYTES;
    in = access_byte((uint16_t)at, out);
    frame.count++;
    if (fixed_length() != 0 && frame.count == PREFIX_BYTES + fixed_length()) {
        frame.count = 0;
    }
    return in;
}

void nd_chip_select(void) {
    nd__chip.cfg.elapse(nd__chip.cfg.ctx, nd__chip.cfg.select_ns);
    frame.selected = true;
    frame.count = 0;
    frame.address_dirty = false;
}

void nd_chip_deselect(void) {
    frame.selected = false;
    if (frame.address_dirty) {
        nd__net_readdress();
    }
    nd__socket_poll_all();
}

/* ---- what it costs ---- */

/* Bytes that a piece of a transfer has. */
static uint32_t piece_bytes(uint32_t left) {
    uint64_t bytes = (uint64_t)nd__chip.cfg.spi_hz * ND_CHIP_PIECE_NS / (8 * NS_PER_S);

    bytes = bytes > 0 ? bytes : 1;
    return bytes < left ? (uint32_t)bytes : left;
}

/* Eight clocks a byte; what is less than a nanosecond is charged with the next piece. */
static void charge(uint32_t bytes) {
    uint64_t scaled = 8 * NS_PER_S * bytes + frame.bits_owed;

    frame.bits_owed = (uint32_t)(scaled % nd__chip.cfg.spi_hz);
    nd__chip.cfg.elapse(nd__chip.cfg.ctx, scaled / nd__chip.cfg.spi_hz);
}

void nd_chip_write(uint8_t *bytes, uint16_t len) {
    uint32_t left = len;

    while (left > 0) {
        uint32_t piece = piece_bytes(left);

        charge(piece);
        for (uint32_t i = 0; i < piece; i++) {
            exchange(bytes[i]);
        }
        bytes += piece;
        left -= piece;
    }
}

void nd_chip_read(uint8_t *bytes, uint16_t len) {
    uint32_t left = len;

    while (left > 0) {
        uint32_t piece = piece_bytes(left);

        charge(piece);
        for (uint32_t i = 0; i < piece; i++) {
            bytes[i] = exchange(0);
        }
        bytes += piece;
        left -= piece;
    }
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "facts.h"
#include "board.h"
#include "build.h"
#include "nd/compiler.h"

#define TEXT(key, value)                                                                           \
    (struct nd_fact) {                                                                             \
        key, value, 0                                                                              \
    }
#define NUMBER(key, value)                                                                         \
    (struct nd_fact) {                                                                             \
        key, NULL, value                                                                           \
    }

/* Payload of a segment; the chip's default. */
#define MSS_BYTES 1460

const struct nd_fact *nd_facts(const struct nd_options *options, const struct nd_w5500_cfg *chip,
                               uint32_t stage_bytes, uint32_t *count) {
    static struct nd_fact facts[24];
    const struct nd_fact all[] = {
        TEXT("netdyno", ND_BUILD_VERSION),
        TEXT("image", "w5500"),
        TEXT("board", ND_BOARD_NAME),
        TEXT("core", "host"),
        NUMBER("clock_hz", ND_BOARD_HZ),
        NUMBER("link_bit_s", ND_BOARD_LINK_BIT_S),
        TEXT("stack", "w5500"),
        TEXT("stack_version", "model"),
        TEXT("stack_api", "registers"),
        NUMBER("tcp_mss_bytes", MSS_BYTES),
        NUMBER("tcp_wnd_bytes", chip->rx_kib[0] * 1024),
        NUMBER("tcp_snd_buf_bytes", chip->tx_kib[0] * 1024),
        NUMBER("spi_hz", options->spi_hz),
        NUMBER("spi_select_ns", options->select_ns),
        NUMBER("chip_sockets", options->sockets),
        NUMBER("chip_rx_bytes_each", chip->rx_kib[0] * 1024),
        NUMBER("chip_tx_bytes_each", chip->tx_kib[0] * 1024),
        NUMBER("stage_bytes_each", stage_bytes),
        TEXT("libc", ND_BUILD_LIBC),
        TEXT("compiler", ND_COMPILER),
        TEXT("compiler_flags", ND_BUILD_FLAGS),
    };

    _Static_assert(sizeof all <= sizeof facts, "all facts have a place");
    *count = sizeof all / sizeof *all;
    for (uint32_t i = 0; i < *count; i++) {
        facts[i] = all[i];
    }
    return facts;
}

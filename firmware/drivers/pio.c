/* SPDX-License-Identifier: BSD-3-Clause */
#include "pio.h"

#include <string.h>

static volatile uint32_t data_register;

#if ND_BOARD_NIC == ND_NIC_PIO

/* A word at a time, as the loop is first written. */
static void take_words(uint8_t *to, uint32_t words) {
    for (; words > 0; words--, to += 4) {
        uint32_t word = data_register;
        memcpy(to, &word, 4);
    }
}

static void put_words(const uint8_t *from, uint32_t words) {
    for (; words > 0; words--, from += 4) {
        uint32_t word;
        memcpy(&word, from, 4);
        data_register = word;
    }
}

#else

#include "nd/copy.h"

static void take_words(uint8_t *to, uint32_t words) {
    nd_fifo_read32(to, &data_register, words);
}

static void put_words(const uint8_t *from, uint32_t words) {
    nd_fifo_write32(&data_register, from, words);
}

#endif

void nd_pio_take(void *to, uint32_t bytes) {
    uint32_t words = bytes / 4;
    uint8_t *rest = (uint8_t *)to + 4 * words;

    take_words(to, words);
    for (uint32_t i = 0; i < bytes % 4; i++) {
        rest[i] = *(volatile uint8_t *)&data_register;
    }
}

void nd_pio_put(const void *from, uint32_t bytes) {
    uint32_t words = bytes / 4;
    const uint8_t *rest = (const uint8_t *)from + 4 * words;

    put_words(from, words);
    for (uint32_t i = 0; i < bytes % 4; i++) {
        *(volatile uint8_t *)&data_register = rest[i];
    }
}

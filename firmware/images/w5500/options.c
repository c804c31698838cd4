/* SPDX-License-Identifier: BSD-3-Clause */
#include "options.h"
#include "machine.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The clock at which the W55RP20 and fast microcontrollers run the chip; its datasheet guarantees
 * 33.3 MHz. Around a transaction, two port writes and the start of a transfer. */
#define SPI_HZ    33000000u
#define SELECT_NS 1000u
#define SOCKETS   8u

/* One option. */
struct option {
    const char *key;
    size_t offset;
    uint32_t min;
    uint32_t max;
};

static const struct option table[] = {
    {"spi_hz=", offsetof(struct nd_options, spi_hz), 100000, 80000000},
    {"spi_select_ns=", offsetof(struct nd_options, select_ns), 0, 1000000},
    {"sockets=", offsetof(struct nd_options, sockets), 1, 8},
};

static void read_word(struct nd_options *options, const char *word) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const size_t length = strlen(table[i].key);
        char *end;
        unsigned long value;

        if (strncmp(word, table[i].key, length) != 0) {
            continue;
        }
        value = strtoul(word + length, &end, 10);
        if (word[length] == '\0' || *end != '\0' || value < table[i].min || value > table[i].max) {
            nd_machine_abandon("an option is out of range");
        }
        *(uint32_t *)(void *)((char *)options + table[i].offset) = (uint32_t)value;
        return;
    }
    nd_machine_abandon("expected options spi_hz=, spi_select_ns= or sockets=, then two streams");
}

void nd_options_read(struct nd_options *options, int argc, char **argv) {
    *options = (struct nd_options){SPI_HZ, SELECT_NS, SOCKETS};
    for (int i = 1; i + 2 < argc; i++) {
        read_word(options, argv[i]);
    }
}

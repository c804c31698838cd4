/* SPDX-License-Identifier: BSD-3-Clause */
/* options.h - what the words in front of the two streams on the command line choose. */
#ifndef ND_OPTIONS_H
#define ND_OPTIONS_H

#include <stdint.h>

struct nd_options {
    uint32_t spi_hz;    /* "spi_hz=": clock of the bus */
    uint32_t select_ns; /* "spi_select_ns=": what a transaction costs beside its clocks [ns] */
    uint32_t sockets;   /* "sockets=": of the chip's, 1..8, which share its memory */
};

/* Read them; ends the program with a line when one is not understood. */
void nd_options_read(struct nd_options *options, int argc, char **argv);

#endif

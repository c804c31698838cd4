/* SPDX-License-Identifier: BSD-3-Clause */
/* core/options.h - the words of a console command that begins a test: letters, letters with a
 * number, and the address of the other end. */
#ifndef ND__OPTIONS_H
#define ND__OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "nd/addr.h"

/* One letter. */
struct nd__option {
    char letter;
    uint64_t max;   /* a number from 1 to this follows, as in "-n 128" or "-n128"; 0 = none */
    uint64_t value; /* the number, or 1 for a letter alone; the default until given */
};

/* Read the words behind a command's name. NULL when they are understood; `usage` when not, or what
 * is wrong with the HOST, of which there is exactly one. *host keeps its port unless HOST names
 * one. */
const char *nd__options_read(struct nd__option *options, unsigned count, struct nd_addr *host,
                             const char *usage, int argc, char **argv);

#endif

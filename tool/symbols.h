/* SPDX-License-Identifier: BSD-3-Clause */
/* symbols.h - the functions of a firmware, from its ELF file. */
#ifndef ND_TOOL_SYMBOLS_H
#define ND_TOOL_SYMBOLS_H

#include <stddef.h>

#include "profile.h"

struct symbol {
    char *name;
    char *label; /* the name, with the file where others have the same one */
    char *file;  /* source that it is static in; NULL = it is not, or that is not told */
};

/* Owner: the caller. functions[i] is symbols[i]; sorted by address, without overlaps. */
struct symbols {
    char *path; /* of the firmware */
    struct nd_sim_function *functions;
    struct symbol *symbols;
    size_t count; /* at most ND_SIM_FUNCTIONS */
};

/* Read them. 0, or -1 with why in error. */
int symbols_read(struct symbols *symbols, const char *path, char *error, size_t error_size);

/* Also of symbols that were never read and are all zero. */
void symbols_free(struct symbols *symbols);

#endif

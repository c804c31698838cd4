/* SPDX-License-Identifier: BSD-3-Clause */
/* variant.h - a firmware that differs from the board's own in what an experiment leaves out or
 * sets: the options to build it with, and the parts of a profile that will go.
 *
 * Which names there are is told by a table beside the image, IMAGE.without: this program knows no
 * stack. firmware/images/lwip/lwip.without says how it is written. */
#ifndef ND_TOOL_VARIANT_H
#define ND_TOOL_VARIANT_H

#include <stdbool.h>

#include "image_build.h"
#include "load.h"
#include "opt.h"
#include "profile_result.h"

/* Names of a table, and of one experiment, at most. */
#define VARIANT_PARTS 32

/* Work of one layer for another. */
struct variant_part {
    const char *name;
    const char *layer;
    const char *caller; /* NULL = any other layer */
};

/* Owner: the caller. */
struct variant {
    struct variant_part parts[VARIANT_PARTS]; /* that will go */
    unsigned part_count;
    bool is_predictable; /* nothing else changes */
    const char *options[IMAGE_BUILD_OPTIONS];
    unsigned option_count;
    const struct load *load; /* to run on it */
    char *table;             /* text of the table */
    char *words;             /* what parts and options were made of */
};

/* What --without names (lists with commas) and --with options make of a load; firmware: the image,
 * of the name `image`, beside which the table lies. SAY_DONE, or SAY_USAGE or SAY_FAILED after an
 * error line. */
int variant_read(struct variant *variant, const char *command, const struct opt_list *without,
                 const struct opt_list *with, const struct load *load, const char *firmware,
                 const char *image);

/* Cycles of a profile that will go. */
uint64_t variant_cycles(const struct variant *variant, const struct profile *profile);

/* Also of one that is all zero. */
void variant_free(struct variant *variant);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* layers.h - which layer of a stack a function belongs to, by a table that lies beside the image:
 * this program knows no stack. firmware/images/lwip/lwip.layers says how it is written. */
#ifndef ND_TOOL_LAYERS_H
#define ND_TOOL_LAYERS_H

#include <stdbool.h>
#include <stddef.h>

#include "symbols.h"

/* What matches nothing. */
#define LAYER_OTHER "other"

/* A timing table's own work in the firmware. */
#define LAYER_PROBES "probes"

/* Owner: the caller. */
struct layers {
    char *text;
    struct layer_rule {
        const char *layer;
        const char *pattern;
    } * rules;
    size_t count;
};

/* Read a table. 0, or -1 with why in error. */
int layers_read(struct layers *layers, const char *path, char *error, size_t error_size);

/* Read IMAGE.SUFFIX beside the firmware. As layers_read(). */
int layers_read_beside(struct layers *layers, const char *firmware, const char *image,
                       const char *suffix, char *error, size_t error_size);

/* Read the table at `path`; or, when it is NULL, IMAGE.layers beside the firmware. 0; 1 when the
 * latter is not there, with no rule in *layers; -1 with why in error. */
int layers_read_for(struct layers *layers, const char *path, const char *firmware,
                    const char *image, char *error, size_t error_size);

/* The layer of a function; LAYER_OTHER when no line matches. */
const char *layers_find(const struct layers *layers, const struct symbol *symbol);

/* Also of a table that was never read and is all zero. */
void layers_free(struct layers *layers);

#endif

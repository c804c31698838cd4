/* SPDX-License-Identifier: BSD-3-Clause */
/* profile_result.h - a profile with names: what the cycles of a simulated board went into. */
#ifndef ND_TOOL_PROFILE_RESULT_H
#define ND_TOOL_PROFILE_RESULT_H

#include <jansson.h>
#include <stdint.h>

#include "layers.h"
#include "profile.h"
#include "symbols.h"

/* What a profile is made of. Borrowed. */
struct profile {
    const struct nd_sim_profile *raw;
    const struct symbols *symbols;
    const struct layers *layers;
    uint64_t payload_bytes; /* moved in the period; 0 = not known */
};

/* The symbol of a raw function number. */
const struct symbol *profile_symbol(const struct profile *profile, uint32_t function);

/* Cycles that a layer spent, with all that it called, when another called it; caller: that other
 * one, NULL = any. */
uint64_t profile_called(const struct profile *profile, const char *layer, const char *caller);

/* As a part of a result document: whole, layers, functions; docs/results.md has the keys. NULL when
 * the parts do not add up to the whole, with why in *wrong (static). The caller owns it. */
json_t *profile_describe(const struct profile *profile, const char **wrong);

/* Write every chain of calls with its cycles, for flame graphs: one line each, "a;b;c 123"; or as
 * speedscope's JSON. 0, or -1 after an error line. */
int profile_write_folded(const struct profile *profile, const char *path);
int profile_write_speedscope(const struct profile *profile, const char *title, const char *path);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* watch.h - a simulated board that is watched from outside while it works: what the commands
 * `profile` and `trace` have in common. */
#ifndef ND_TOOL_WATCH_H
#define ND_TOOL_WATCH_H

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

#include "layers.h"
#include "load.h"
#include "opt.h"
#include "rig.h"
#include "symbols.h"

struct watch_options {
    const char *load;
    const char *count;
    const char *len;
    struct opt_list set;
    const char *json;
    const char *layers;
    const char *firmware;
    uint64_t seed;
};

/* Their rows; base: offset of a struct watch_options in the command's options. */
#define WATCH_AT(base, member) (base) + offsetof(struct watch_options, member)
#define WATCH_ROWS(base)                                                                           \
    OPT_ROW_TEXT(0, "load", "NAME", WATCH_AT(base, load), "what the board is to do [tcp-rx]"),     \
        OPT_ROW_TEXT(0, "count", "N", WATCH_AT(base, count),                                       \
                     "as --set datagrams=N, of UDP loads"),                                        \
        OPT_ROW_TEXT(0, "len", "BYTES", WATCH_AT(base, len), "as --set datagram=BYTES"),           \
        OPT_ROW_LIST(0, "set", "KEY=VALUE", WATCH_AT(base, set),                                   \
                     "change a setting, as of run; may be repeated"),                              \
        OPT_ROW_TEXT(0, "json", "FILE", WATCH_AT(base, json),                                      \
                     "write the result document, - = stdout"),                                     \
        OPT_ROW_TEXT(0, "layers", "FILE", WATCH_AT(base, layers),                                  \
                     "table of layers [beside the image]"),                                        \
        OPT_ROW_TEXT(0, "firmware", "FILE", WATCH_AT(base, firmware), "image of the board"),       \
        OPT_ROW_NUMBER(0, "seed", "N", WATCH_AT(base, seed), UNITS_COUNT, 1, 0, UINT32_MAX,        \
                       "of the simulation's random numbers")

/* One run of such a command. The caller fills in the first part. */
struct watch {
    const char *command; /* its name, which is the document's plan, too */
    const struct watch_options *options;
    uint32_t trace_changes; /* as of struct nd_sim_cfg */
    /* The board is there: let it work (load_run()) and enter what was seen. enum say_exit. */
    int (*measure)(struct watch *watch, struct rig *rig);
    void (*render)(const json_t *document, FILE *out); /* for a person */
    void *ctx;                                         /* the command's */

    /* In place of those of the options; NULL = as they say. */
    const char *firmware;
    const struct load *load;
    /* Keep the document for the caller, who owns it then, instead of showing it. */
    bool keeps;
    json_t *document;

    const char *title; /* the target, as typed */
    struct settings settings;
    struct result result;
    struct symbols symbols;
    struct layers layers;
};

/* Watch a target, from the options to the document. enum say_exit. */
int watch_run(struct watch *watch, const char *target);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* experiment.h - a board's image as it is and as a variant of it, each built anew and profiled:
 * what the first profile lets expect beside what the second shows. */
#ifndef ND_TOOL_EXPERIMENT_H
#define ND_TOOL_EXPERIMENT_H

#include <jansson.h>

#include "opt.h"
#include "variant.h"

struct experiment_options {
    struct opt_list without;
    struct opt_list with;
    const char *source;
    const char *work;
};

/* Their rows; base: offset of a struct experiment_options in the command's options. */
#define EXPERIMENT_AT(base, member) (base) + offsetof(struct experiment_options, member)
#define EXPERIMENT_ROWS(base)                                                                      \
    OPT_ROW_LIST(0, "without", "NAME,...", EXPERIMENT_AT(base, without),                           \
                 "and again without this, the image built anew"),                                  \
        OPT_ROW_LIST(0, "with", "KEY=VALUE", EXPERIMENT_AT(base, with),                            \
                     "or with this option of the image; may be repeated"),                         \
        OPT_ROW_TEXT(0, "source", "DIR", EXPERIMENT_AT(base, source),                              \
                     "netdyno's source tree [where it was built]"),                                \
        OPT_ROW_TEXT(0, "work", "DIR", EXPERIMENT_AT(base, work),                                  \
                     "cache of built images [~/.cache/netdyno/images]")

/* One experiment. */
struct experiment {
    const char *command;
    const char *target; /* as typed */
    const struct experiment_options *options;
    const struct load *load;
    /* Profile an image under a load. predict: what will go is summed up in *removed; NULL = nothing
     * to sum up. enum say_exit; the document is the caller's. */
    int (*profile)(void *ctx, const char *firmware, const struct load *load,
                   const struct variant *predict, uint64_t *removed, json_t **document);
    void *ctx;
};

/* Is there any? */
bool experiment_wanted(const struct experiment_options *options);

/* Run it. enum say_exit; on SAY_DONE *document is that of the first profile, with the whole in
 * result.experiment (docs/results.md), and the caller's. */
int experiment_run(const struct experiment *experiment, json_t **document);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* plan.h - which steps a run has, in order. */
#ifndef ND_TOOL_PLAN_H
#define ND_TOOL_PLAN_H

#include "rig.h"

/* Names of a step's entries in the document, at most. */
#define PLAN_NAMES 3

struct plan_step {
    int (*run)(struct rig *rig, const char *const *names);
    const char *names[PLAN_NAMES + 1]; /* ends with NULL */
};

struct plan {
    const char *name;
    const struct plan_step *steps;
    unsigned count;
};

#define PLAN_DEFAULT "default"

/* NULL when there is no plan of this name. */
const struct plan *plan_find(const char *name);

/* The names, for errors: "default, ...". Static. */
const char *plan_names(void);

/* Run every step; one that fails leaves the others'. Once the device is lost, or a signal came, the
 * rest is entered as not run. */
void plan_run(const struct plan *plan, struct rig *rig);

/* Enter every step as not run for this reason, as when the target could not be opened. */
void plan_fail(const struct plan *plan, struct rig *rig, const char *reason);

#endif

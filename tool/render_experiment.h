/* SPDX-License-Identifier: BSD-3-Clause */
/* render_experiment.h - what an experiment came to, below the profile of its first run. */
#ifndef ND_TOOL_RENDER_EXPERIMENT_H
#define ND_TOOL_RENDER_EXPERIMENT_H

#include <jansson.h>
#include <stdio.h>

/* Needs nothing but the document, which has result.experiment. */
void render_experiment(const json_t *document, FILE *out);

#endif

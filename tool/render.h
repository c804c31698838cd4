/* SPDX-License-Identifier: BSD-3-Clause */
/* render.h - ways to show a result document; one file each. */
#ifndef ND_TOOL_RENDER_H
#define ND_TOOL_RENDER_H

#include <jansson.h>
#include <stdio.h>

/* The dyno sheet: text for a person, within 80 columns. Needs nothing but the document. */
void render_text(const json_t *document, FILE *out);

/* Results of several targets, an array of documents: a column each, and ratios to the first. */
void render_side(const json_t *documents, FILE *out);

/* Where the cycles went, of a document of `netdyno profile`: the same. */
void render_profile(const json_t *document, FILE *out);

/* The pulses of each signal, of a document of `netdyno trace`: the same. */
void render_trace(const json_t *document, FILE *out);

/* The tables of `netdyno kernels`. */
void render_kernels(const json_t *document, FILE *out);

/* A row per combination of options, of a document of `netdyno matrix`: the same. */
void render_matrix(const json_t *document, FILE *out);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* render_memory.h - the memory part of the dyno sheet. */
#ifndef ND_TOOL_RENDER_MEMORY_H
#define ND_TOOL_RENDER_MEMORY_H

#include <jansson.h>
#include <stdio.h>

/* Table of the free heap during memtest; nothing when no step sampled it. */
void render_heap(const json_t *steps, FILE *out);

/* Tables of heap, pools and stacks: the steps before and after the tests; each may be NULL. */
void render_memory(const json_t *idle, const json_t *end, FILE *out);

#endif

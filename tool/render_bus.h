/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ND_TOOL_RENDER_BUS_H
#define ND_TOOL_RENDER_BUS_H

#include <jansson.h>
#include <stdio.h>

/* The part of the sheet about the bus; nothing where there is none. */
void render_bus(const json_t *rows, FILE *out);

#endif

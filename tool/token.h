/* SPDX-License-Identifier: BSD-3-Clause */
/* token.h - the word that a console on the network asks for (nd/remote.h). */
#ifndef ND_TOOL_TOKEN_H
#define ND_TOOL_TOKEN_H

#include <stdbool.h>
#include <stddef.h>

/* Longest, NUL included: it has to fit into a line of the device [byte]. */
#define TOKEN_BYTES 96

/* What a fit one is. */
#define TOKEN_FORM "1 to 95 characters without a blank"

/* Where it is looked for when the command line has none: there everybody could read it. */
#define TOKEN_VARIABLE "NETDYNO_TOKEN"

/* `given`, or the variable's; NULL when neither is there. */
const char *token_find(const char *given);

/* Whether so many characters can be typed as one word. */
bool token_is_fit(const char *token, size_t length);

#endif

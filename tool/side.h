/* SPDX-License-Identifier: BSD-3-Clause */
/* side.h - results of several targets beside each other: what a cell holds, and which of them
 * cannot be compared. */
#ifndef ND_TOOL_SIDE_H
#define ND_TOOL_SIDE_H

#include <jansson.h>
#include <stddef.h>

#include "opt.h"

/* Targets of one command. */
#define SIDE_COLUMNS OPT_ITEMS

/* The reason of a cell whose step the plan does not have. */
#define SIDE_NOT_PLANNED "not in plan"

/* Room for the text of a fact [byte]. */
#define SIDE_TEXT_BYTES 64

/* What a row says, and what a fact of the configuration decides. */
#define SIDE_SPEED 1u /* rates and times */
#define SIDE_WORK  2u /* the processor's work */
#define SIDE_SIZE  4u /* memory and code */

/* A value in its base unit; or, when there is none, why. */
struct side_cell {
    double value;
    const char *unit;   /* printed behind it, when the row does not say; "" = the row does */
    const char *reason; /* NULL = there is a value */
};

/* One row. */
struct side_row {
    const char *title; /* of the group that begins here, or NULL */
    const char *name;
    struct side_cell (*cell)(const json_t *result, const struct side_row *row);
    const char *where; /* step, pool or part that the cell is read from; NULL = the kind says it */
    const char *key;
    double scale;
    int decimals;
    unsigned depends; /* SIDE_* */
};

/* Kinds of cells. */
struct side_cell side_step(const json_t *result, const struct side_row *row);
struct side_cell side_latency(const json_t *result, const struct side_row *row);
struct side_cell side_work(const json_t *result, const struct side_row *row);

/* All bytes of memtest's three phases, an echoed one counted both ways, over their time. */
struct side_cell side_both_ways(const json_t *result, const struct side_row *row);

/* Free heap over memtest's three phases: the last, the extremes, the average of all samples. */
struct side_cell side_heap(const json_t *result, const struct side_row *row);

/* At the run's end: a pool; the processor's stack. */
struct side_cell side_pool(const json_t *result, const struct side_row *row);
struct side_cell side_stack(const json_t *result, const struct side_row *row);

/* Of the image: a part, the whole. */
struct side_cell side_part(const json_t *result, const struct side_row *row);
struct side_cell side_firmware(const json_t *result, const struct side_row *row);

/* A fact that two results must share for rows of the kinds `decides` to be compared. */
struct side_fact {
    const char *name;
    unsigned decides; /* SIDE_* */
    void (*text)(const json_t *result, const struct side_fact *fact, char text[SIDE_TEXT_BYTES]);
    const char *where; /* object of the result */
    const char *key;
};

extern const struct side_fact side_facts[];
extern const size_t side_fact_count;

/* Whether two results differ in a fact; unknown in one alone is different, too. */
bool side_fact_differs(const struct side_fact *fact, const json_t *a, const json_t *b);

/* Which kinds of rows of these two results cannot be compared: SIDE_* or-ed together. */
unsigned side_differs(const json_t *a, const json_t *b);

#endif

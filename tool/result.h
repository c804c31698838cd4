/* SPDX-License-Identifier: BSD-3-Clause */
/* result.h - the document of a run.
 *
 * {"netdyno": 1, "result": {...}, "meta": {...}}: `result` holds only what the run
 * determines, `meta` what the day and the host do. A value that is not there is listed in its
 * object's "absent" with the reason. docs/results.md has every key. */
#ifndef ND_TOOL_RESULT_H
#define ND_TOOL_RESULT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Of the document's form; raised when a key changes its meaning. */
#define RESULT_FORMAT 1

/* Owner: the caller; begin and end with the two calls below. */
struct result {
    json_t *root;
    json_t *result;
    json_t *meta;
    json_t *steps; /* array in result */
    uint64_t began_ns;
};

/* Start a document. */
void result_begin(struct result *out, const char *target, const char *plan);

/* Complete meta, as late as possible. */
void result_finish(struct result *out);

/* Write a document (or an array of them) to a file, "-" = stdout; 0, or -1 with an error line. */
int result_write(const json_t *document, const char *path);

/* Free it. */
void result_end(struct result *out);

/* A value of 0 or more; or an absence (nd/memory.h) under its reason. */
void result_value(json_t *object, const char *key, int64_t value);

void result_text(json_t *object, const char *key, const char *text);

/* Say why a key is not there. */
void result_absent(json_t *object, const char *key, const char *reason);

/* Copy a member of a device's line; one that holds the reason of an absence goes to "absent".
 * NULL is absent, "no_report". */
void result_take(json_t *object, const char *key, json_t *value);

/* Copy the members of a line from a device's console, without its "id" and "kind". */
void result_take_item(json_t *object, const json_t *item);

/* numerator / denominator to three decimals, rounded to nearest; denominator 0 is "no_samples". */
void result_ratio(json_t *object, const char *key, uint64_t numerator, uint64_t denominator);

#endif

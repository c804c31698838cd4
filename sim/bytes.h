/* SPDX-License-Identifier: BSD-3-Clause */
/* bytes.h - a first-in first-out row of bytes without limit: console text on its way. */
#ifndef ND_SIM_BYTES_H
#define ND_SIM_BYTES_H

#include <stdbool.h>
#include <stddef.h>

/* Owner: the caller. All zero is an empty row. */
struct nd__bytes {
    char *data;
    size_t size;  /* allocated [byte] */
    size_t first; /* where the oldest byte is */
    size_t count;
};

/* Append len bytes. False: no memory, nothing appended. */
bool nd__bytes_put(struct nd__bytes *bytes, const void *data, size_t len);

/* Take up to size bytes out; returns the count. */
size_t nd__bytes_take(struct nd__bytes *bytes, void *data, size_t size);

/* Free what it holds; the row is empty and usable again. */
void nd__bytes_free(struct nd__bytes *bytes);

#endif

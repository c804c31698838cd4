/* SPDX-License-Identifier: BSD-3-Clause */
#include "bytes.h"

#include <stdlib.h>
#include <string.h>

/* Make room for len more bytes at the end: by moving the rest to the front, or by growing. */
static bool make_room(struct nd__bytes *bytes, size_t len) {
    size_t size = bytes->size;
    char *data;

    if (bytes->first + bytes->count + len <= size) {
        return true;
    }
    if (bytes->first > 0) {
        memmove(bytes->data, bytes->data + bytes->first, bytes->count);
        bytes->first = 0;
    }
    if (bytes->count + len <= size) {
        return true;
    }
    data = realloc(bytes->data, 2 * size + len);
    if (data == NULL) {
        return false;
    }
    bytes->data = data;
    bytes->size = 2 * size + len;
    return true;
}

bool nd__bytes_put(struct nd__bytes *bytes, const void *data, size_t len) {
    if (len == 0) {
        return true;
    }
    if (!make_room(bytes, len)) {
        return false;
    }
    memcpy(bytes->data + bytes->first + bytes->count, data, len);
    bytes->count += len;
    return true;
}

size_t nd__bytes_take(struct nd__bytes *bytes, void *data, size_t size) {
    size_t len = bytes->count < size ? bytes->count : size;

    if (len > 0) {
        memcpy(data, bytes->data + bytes->first, len);
    }
    bytes->count -= len;
    bytes->first = bytes->count == 0 ? 0 : bytes->first + len;
    return len;
}

void nd__bytes_free(struct nd__bytes *bytes) {
    free(bytes->data);
    *bytes = (struct nd__bytes){0};
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "link/frames.h"

#include <stdlib.h>

enum { FIRST_SIZE = 16 };

/* Double the slots, the first frame going to the front. */
static bool grow(struct nd__frames *frames) {
    size_t size = frames->size == 0 ? FIRST_SIZE : 2 * frames->size;
    struct nd__frame *slots = malloc(size * sizeof *slots);

    if (slots == NULL) {
        return false;
    }
    for (size_t i = 0; i < frames->count; i++) {
        slots[i] = *nd__frames_at(frames, i);
    }
    free(frames->slots);
    frames->slots = slots;
    frames->size = size;
    frames->first = 0;
    return true;
}

struct nd__frame *nd__frames_push(struct nd__frames *frames) {
    if (frames->count == frames->size && !grow(frames)) {
        return NULL;
    }
    frames->count++;
    return nd__frames_at(frames, frames->count - 1);
}

struct nd__frame *nd__frames_at(const struct nd__frames *frames, size_t index) {
    return &frames->slots[(frames->first + index) & (frames->size - 1)];
}

void nd__frames_pop(struct nd__frames *frames) {
    frames->first = (frames->first + 1) & (frames->size - 1);
    frames->count--;
}

void nd__frames_free(struct nd__frames *frames) {
    free(frames->slots);
    *frames = (struct nd__frames){0};
}

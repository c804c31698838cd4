/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/memory.h"

#include <stddef.h>

const char *nd_absent_name(int64_t value) {
    switch (value) {
    case ND_NOT_BUILT:
        return "not_built";
    case ND_NOT_HOOKED:
        return "not_hooked";
    case ND_NOT_SUPPORTED:
        return "not_supported";
    case ND_NO_SAMPLES:
        return "no_samples";
    default:
        return NULL;
    }
}

void nd_heap_meter_reset(struct nd_heap_meter *meter) {
    *meter = (struct nd_heap_meter){.min = UINT32_MAX};
}

void nd_heap_meter_sample(struct nd_heap_meter *meter, const struct nd_memory *memory) {
    int64_t heap_free;
    uint32_t now;

    if (memory == NULL || memory->heap_free == NULL) {
        return;
    }
    heap_free = memory->heap_free(memory->ctx);
    /* A hook may be in place and still not know. A full count keeps its mean. */
    if (heap_free < 0 || meter->samples == UINT32_MAX) {
        return;
    }
    now = heap_free < (int64_t)UINT32_MAX ? (uint32_t)heap_free : UINT32_MAX;
    meter->now = now;
    if (now < meter->min) {
        meter->min = now;
    }
    if (now > meter->max) {
        meter->max = now;
    }
    meter->sum += now;
    meter->samples++;
}

int64_t nd_heap_meter_average(const struct nd_heap_meter *meter) {
    if (meter->samples == 0) {
        return ND_NO_SAMPLES;
    }
    return (int64_t)(meter->sum / meter->samples);
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "calls.h"

#include <string.h>

void nd__calls_init(struct nd__calls *calls, struct nd__page *page) {
    calls->page = page;
    calls->context_count = 1;
}

uint32_t nd__calls_function(const struct nd__page *page, uint32_t address) {
    const struct nd_sim_function *functions = page->functions;
    uint32_t low = 0;
    uint32_t high = page->function_count;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (functions[middle].end <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < page->function_count && functions[low].start <= address ? low + 1
                                                                         : ND__PAGE_NO_FUNCTION;
}

/* Give the cycles since the latest change to who spent them. */
static void charge(struct nd__calls *calls, uint64_t now) {
    calls->contexts[calls->stack[calls->depth].context].cycles += now - calls->charged;
    calls->charged = now;
}

static uint32_t add_child(struct nd__calls *calls, uint32_t parent, uint32_t function) {
    uint32_t child = calls->context_count;

    if (child == ND_SIM_CONTEXTS) {
        calls->lost++;
        return parent;
    }
    calls->context_count++;
    calls->contexts[child] = (struct nd_sim_context){.parent = parent, .function = function};
    calls->next_child[child] = calls->first_child[parent];
    calls->first_child[parent] = child;
    return child;
}

/* The context of a function called from another; the latest is the first that is looked at. */
static uint32_t child_of(struct nd__calls *calls, uint32_t parent, uint32_t function) {
    uint32_t before = 0;
    uint32_t child = calls->first_child[parent];

    while (child != 0 && calls->contexts[child].function != function) {
        before = child;
        child = calls->next_child[child];
    }
    if (child == 0) {
        return add_child(calls, parent, function);
    }
    if (before != 0) {
        calls->next_child[before] = calls->next_child[child];
        calls->next_child[child] = calls->first_child[parent];
        calls->first_child[parent] = child;
    }
    return child;
}

/* The latest call is over. */
static void finish(struct nd__calls *calls, uint64_t now) {
    const struct nd__call *call = &calls->stack[calls->depth];
    struct nd_sim_calls *sum = &calls->calls[calls->contexts[call->context].function];
    uint64_t cycles = now - call->entered;

    if (call->entered < calls->began) {
        return; /* began in an earlier period */
    }
    sum->min = sum->count == 0 || cycles < sum->min ? cycles : sum->min;
    sum->max = cycles > sum->max ? cycles : sum->max;
    sum->total += cycles;
    sum->count++;
}

void nd__calls_enter(struct nd__calls *calls, uint32_t function, uint32_t way_back, uint64_t now) {
    uint32_t context;

    charge(calls, now);
    if (calls->depth + 1 == ND__CALLS_DEPTH) {
        nd__calls_replace(calls, function, now);
        return;
    }
    context = child_of(calls, calls->stack[calls->depth].context, function);
    calls->contexts[context].entries++;
    calls->depth++;
    calls->stack[calls->depth] = (struct nd__call){context, way_back, now};
}

void nd__calls_replace(struct nd__calls *calls, uint32_t function, uint64_t now) {
    struct nd__call *call = &calls->stack[calls->depth];

    charge(calls, now);
    if (calls->depth > 0) {
        finish(calls, now);
    }
    call->context = child_of(calls, calls->contexts[call->context].parent, function);
    call->entered = now;
    calls->contexts[call->context].entries++;
}

void nd__calls_leave(struct nd__calls *calls, uint32_t address, uint32_t function, uint64_t now) {
    uint32_t depth = calls->depth;

    while (depth > 0 && calls->stack[depth].way_back != address) {
        depth--;
    }
    if (depth == 0) {
        if (calls->contexts[calls->stack[calls->depth].context].function != function) {
            nd__calls_replace(calls, function, now);
        }
        return;
    }
    charge(calls, now);
    while (calls->depth >= depth) {
        finish(calls, now);
        calls->depth--;
    }
}

void nd__calls_turn(struct nd__calls *calls, uint64_t now, uint64_t instructions) {
    struct nd_sim_profile *profile = &calls->page->profile;
    uint32_t count = calls->context_count;

    charge(calls, now);
    profile->cycles = now - calls->began;
    profile->instructions = instructions - calls->began_instructions;
    profile->context_count = count;
    profile->lost = calls->lost;
    memcpy(profile->contexts, calls->contexts, count * sizeof calls->contexts[0]);
    memcpy(profile->calls, calls->calls, sizeof calls->calls);
    memcpy(profile->bytes, calls->bytes, sizeof calls->bytes);
    for (uint32_t i = 0; i < count; i++) {
        calls->contexts[i].cycles = 0;
        calls->contexts[i].entries = 0;
    }
    memset(calls->calls, 0, sizeof calls->calls);
    memset(calls->bytes, 0, sizeof calls->bytes);
    calls->began = now;
    calls->began_instructions = instructions;
    calls->lost = 0;
}

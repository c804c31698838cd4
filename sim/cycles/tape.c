/* SPDX-License-Identifier: BSD-3-Clause */
#include "tape.h"

static void put(struct nd__page *page, uint64_t now, uint32_t function, uint32_t depth) {
    struct nd_sim_change *tape = (struct nd_sim_change *)(page + 1);

    if (page->tape_count == page->tape_room) {
        page->tape_lost++;
        return;
    }
    tape[page->tape_count] = (struct nd_sim_change){now, function, depth};
    page->tape_count++;
}

static void put_call(struct nd__page *page, const struct nd__calls *calls, uint32_t depth,
                     uint64_t now) {
    put(page, now, calls->contexts[calls->stack[depth].context].function, depth);
}

void nd__tape_mark(struct nd__tape *tape, const struct nd__calls *calls, uint32_t number,
                   uint64_t now) {
    struct nd__page *page = tape->page;
    bool wanted = __atomic_load_n(&page->tape_wanted, __ATOMIC_ACQUIRE) != 0;
    bool was_on = tape->on;

    if (!was_on && wanted) {
        for (uint32_t depth = 0; depth <= calls->depth; depth++) {
            put_call(page, calls, depth, now);
        }
    }
    tape->on = wanted;
    if (was_on || wanted) {
        put(page, now, number, ND_SIM_MARK);
    }
    if (was_on && !wanted) {
        __atomic_store_n(&page->tape_done, 1, __ATOMIC_RELEASE);
    }
}

void nd__tape_change(struct nd__tape *tape, const struct nd__calls *calls, uint64_t now) {
    if (tape->on) {
        put_call(tape->page, calls, calls->depth, now);
    }
}

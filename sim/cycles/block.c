/* SPDX-License-Identifier: BSD-3-Clause */
#include "block.h"

#include <stdlib.h>

/* Of the history. */
enum { FIRST_SIZE = 4096 };

/* Lines that an instruction asks for: a wide one may lie in two, and have a literal in a third. */
enum { STEPS_MAX = 3 };

/* ---- history ---- */

/* Where the instruction in front of `end` stands, or would. */
static struct nd__past *find(const struct nd__history *history, uint32_t end) {
    size_t mask = history->size - 1;
    size_t at = (end >> 1) * 2654435761u & mask; /* Knuth's multiplicative hashing */

    while (history->pasts[at].end != 0 && history->pasts[at].end != end) {
        at = (at + 1) & mask;
    }
    return &history->pasts[at];
}

static bool grow(struct nd__history *history) {
    struct nd__history wider = {.size = history->size > 0 ? 2 * history->size : FIRST_SIZE,
                                .used = history->used};

    wider.pasts = calloc(wider.size, sizeof *wider.pasts);
    if (wider.pasts == NULL) {
        return false;
    }
    for (size_t i = 0; i < history->size; i++) {
        if (history->pasts[i].end != 0) {
            *find(&wider, history->pasts[i].end) = history->pasts[i];
        }
    }
    free(history->pasts);
    *history = wider;
    return true;
}

static bool remember(struct nd__history *history, uint32_t end, const struct nd__op *op) {
    struct nd__past *past;

    if (2 * history->used >= history->size && !grow(history)) {
        return false;
    }
    past = find(history, end);
    history->used += past->end == 0;
    *past = (struct nd__past){end, *op};
    return true;
}

static bool recall(const struct nd__history *history, uint32_t end, struct nd__op *op) {
    const struct nd__past *past = history->size > 0 ? find(history, end) : NULL;

    if (past == NULL || past->end == 0) {
        return false;
    }
    *op = past->op;
    return true;
}

/* ---- blocks ---- */

static void fill_place(struct nd__place *place, const struct nd__op *op,
                       const struct nd__op *before) {
    place->literal = op->literal;
    place->data = op->data;
    place->stores = op->stores;
    place->touches = op->words > 0;
    place->slips = op->words == 1 && op->data > 1 && !op->stores;
    place->marks = op->kind == ND__OP_MARK;
    place->shows = op->kind == ND__OP_SHOW;
    if (op->conditional) {
        place->access = (uint8_t)nd__core_access(op, before);
    }
}

static void finish(struct nd__block *block, const struct nd__op *first, const struct nd__op *last) {
    block->late = first->size == 4 && (block->start & 2u) != 0;
    block->refill = last->refill;
    block->late_counts = last->branches && last->words == 0;
    block->always = last->always;
    block->calls = last->kind == ND__OP_CALL;
    block->far = last->kind == ND__OP_JUMP_FAR;
    block->seen = UINT64_MAX;
}

struct nd__block *nd__block_make(const struct nd__core *core, struct nd__history *history,
                                 uint32_t start, const struct nd__code *codes, uint32_t count) {
    struct nd__block *block = calloc(1, sizeof *block + count * sizeof block->places[0]);
    struct nd__op before = {.kind = ND__OP_OTHER}, first = before, op = before;
    bool known = recall(history, start, &before);
    uint8_t it = known ? before.it : 0;
    uint32_t at = start;

    if (block == NULL) {
        return NULL;
    }
    block->steps = calloc((size_t)count * STEPS_MAX, sizeof *block->steps);
    if (block->steps == NULL) {
        free(block);
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct nd__place *place = &block->places[i];

        op = nd__core_decode(core, codes[i].code, codes[i].size, at, it);
        place->offset = (uint16_t)(at - start);
        place->cycles = (uint16_t)block->cycles;
        fill_place(place, &op, i > 0 || known ? &before : NULL);
        if (i == 0) {
            first = op;
            block->carry =
                known ? (int32_t)(nd__core_cost(&op, &before) - nd__core_cost(&op, NULL)) : 0;
        }
        block->cycles += nd__core_cost(&op, i > 0 ? &before : NULL);
        block->stoppable |= place->touches;
        at += op.size;
        if (!remember(history, at, &op)) {
            free(block->steps);
            free(block);
            return NULL;
        }
        before = op;
        it = op.it;
    }
    block->start = start;
    block->end = at;
    block->count = count;
    finish(block, &first, &op);
    return block;
}

/* ---- flash ---- */

static void add_step(struct nd__block *block, uint32_t place, uint32_t line, bool literal) {
    block->steps[block->step_count++] = (struct nd__flash_step){
        .line = line, .cycles = block->places[place].cycles, .place = place, .literal = literal};
}

static void make_steps(struct nd__block *block, const struct nd__flash *flash) {
    uint32_t latest = 0;

    block->step_count = 0;
    block->steps_number = flash->number;
    for (uint32_t i = 0; i < block->count; i++) {
        const struct nd__place *place = &block->places[i];
        uint32_t next = i + 1 < block->count ? place[1].offset : block->end - block->start;
        uint32_t last = nd__flash_line(flash, block->start + next - 1);
        uint32_t line = nd__flash_line(flash, block->start + place->offset);

        for (; line != 0 && line <= last; line++) {
            if (line != latest) {
                add_step(block, i, line, false);
                latest = line;
            }
        }
        if (place->literal != 0 && nd__flash_line(flash, place->literal) != 0) {
            add_step(block, i, nd__flash_line(flash, place->literal), true);
        }
    }
}

uint32_t nd__block_wait(struct nd__block *block, struct nd__flash *flash, uint64_t now) {
    uint64_t changes = flash->changes;

    if (block->steps_number != flash->number) {
        make_steps(block, flash);
    }
    block->waited = nd__flash_walk(flash, block->steps, block->step_count, now);
    if (block->waited == 0 && flash->changes == changes) {
        block->seen = changes;
    }
    return block->waited;
}

/* Waiting of an instruction for its own code lies in front of it, for its literal behind. */
uint32_t nd__block_rest(const struct nd__block *block, const struct nd__place *place) {
    uint32_t index = (uint32_t)(place - block->places);
    uint32_t waited = 0;

    for (uint32_t i = 0; block->waited > 0 && i < block->step_count; i++) {
        const struct nd__flash_step *step = &block->steps[i];

        if (step->place < index || (step->place == index && !step->literal)) {
            waited = step->waited;
        }
    }
    return block->cycles - place->cycles + block->waited - waited;
}

const struct nd__place *nd__block_place(const struct nd__block *block, uint32_t address) {
    for (uint32_t i = 1; i < block->count; i++) {
        if (block->start + block->places[i].offset == address) {
            return &block->places[i];
        }
    }
    return NULL;
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "core.h"

enum { SP = 13, PC = 15 };

static uint16_t bit(uint32_t number) {
    return (uint16_t)(1u << number);
}

/* The register of three or four bits whose field begins at bit `at`. */
static uint16_t low(uint32_t code, unsigned at) {
    return bit(code >> at & 7u);
}

static uint16_t any(uint32_t code, unsigned at) {
    return bit(code >> at & 15u);
}

static uint8_t count(uint32_t bits) {
    return (uint8_t)__builtin_popcount(bits);
}

static uint32_t word_base(uint32_t address) {
    return (address + 4u) & ~3u;
}

/* A wide literal's offset is 12 bits, of a load that has a byte more or less. */
static uint32_t wide_literal(uint32_t code, uint32_t address) {
    uint32_t offset = code & 0xFFFu;

    return (code >> 23 & 1u) != 0 ? word_base(address) + offset : word_base(address) - offset;
}

static bool is_store(const struct nd__op *op) {
    return op->kind == ND__OP_STORE || op->kind == ND__OP_STORE_INDEX;
}

/* One register to or from memory. */
static void one(struct nd__op *op, uint16_t moved, uint16_t address) {
    op->words = 1;
    op->address = address;
    op->writes = is_store(op) ? 0 : moved;
}

/* Several: one cycle each. */
static void several(struct nd__op *op, unsigned words, uint16_t address) {
    op->words = (uint8_t)words;
    op->cycles = (uint8_t)(op->cycles + words);
    op->address = address;
}

static void shape_data(struct nd__op *op, enum nd__op_shape shape, uint32_t code) {
    uint32_t narrow = code >> 16;

    switch (shape) {
    case ND__SHAPE_D16:
        op->writes = low(narrow, 0);
        break;
    case ND__SHAPE_D24:
        op->writes = low(narrow, 8);
        break;
    case ND__SHAPE_DHIGH:
        op->writes = bit((narrow & 7u) | (narrow >> 4 & 8u));
        break;
    case ND__SHAPE_DSP:
        op->writes = bit(SP);
        break;
    case ND__SHAPE_D8:
        op->writes = any(code, 8);
        break;
    case ND__SHAPE_D8_D12:
        op->writes = any(code, 8) | any(code, 12);
        break;
    default:
        break;
    }
}

static void shape_memory(struct nd__op *op, enum nd__op_shape shape, uint32_t code, uint32_t at) {
    uint32_t narrow = code >> 16;

    switch (shape) {
    case ND__SHAPE_LOW:
        one(op, low(narrow, 0), low(narrow, 3));
        break;
    case ND__SHAPE_LOW_LOW:
        one(op, low(narrow, 0), low(narrow, 3) | low(narrow, 6));
        break;
    case ND__SHAPE_SP:
        one(op, low(narrow, 8), bit(SP));
        break;
    case ND__SHAPE_LITERAL:
        one(op, low(narrow, 8), 0);
        op->literal = word_base(at) + (narrow & 0xFFu) * 4u;
        break;
    case ND__SHAPE_WLITERAL:
        one(op, any(code, 12), 0);
        op->literal = wide_literal(code, at);
        break;
    case ND__SHAPE_BASE:
        one(op, any(code, 12), any(code, 16));
        break;
    case ND__SHAPE_INDEX:
        one(op, any(code, 12), any(code, 16) | any(code, 0));
        break;
    case ND__SHAPE_PAIR:
        several(op, 2, any(code, 16));
        break;
    case ND__SHAPE_STACK:
        several(op, count(narrow & 0x1FFu), bit(SP));
        break;
    case ND__SHAPE_LIST:
        several(op, count(narrow & 0xFFu), low(narrow, 8));
        break;
    case ND__SHAPE_WLIST:
        several(op, count(code & 0xFFFFu), any(code, 16));
        break;
    default:
        break;
    }
}

/* ---- ARMv7-M ARM, A5.2.4, A5.3.5 to A5.3.10: of code that loads or stores ---- */

/* Which of the eight narrow ones with two registers for an address: STR, STRH, STRB, LDRSB, LDR,
 * LDRH, LDRB, LDRSH. */
static unsigned indexed(uint32_t code) {
    return code >> 25 & 7u;
}

static bool is_indexed(uint32_t code, uint8_t size) {
    return size == 2 && code >> 28 == 5;
}

/* Bytes that go to or from one register. */
static uint8_t width(uint32_t code, uint8_t size) {
    static const uint8_t narrow[16] = {[7] = 1, [8] = 2};
    static const uint8_t of_indexed[] = {4, 2, 1, 1, 4, 2, 1, 2};

    if (is_indexed(code, size)) {
        return of_indexed[indexed(code)];
    }
    if (size == 2) {
        return narrow[code >> 28] > 0 ? narrow[code >> 28] : 4;
    }
    return (code & 0xFE000000u) == 0xF8000000u ? (uint8_t)(1u << (code >> 21 & 3u)) : 4;
}

/* LDREX, STREX and their like are for locks, and QEMU makes two accesses of a store. */
static bool is_exclusive(uint32_t code) {
    return (code & 0xFFE00000u) == 0xE8400000u || (code & 0xFFE00FC0u) == 0xE8C00F40u;
}

static bool is_load(uint32_t code, uint8_t size) {
    return is_indexed(code, size) ? indexed(code) >= 3 : (code >> (size == 2 ? 27 : 20) & 1u) != 0;
}

static void find_data(struct nd__op *op, uint32_t code) {
    if (op->words > 0 && op->address != 0 && (op->address & (bit(SP) | bit(PC))) == 0 &&
        !is_exclusive(code)) {
        op->data = width(code, op->size);
        op->stores = !is_load(code, op->size);
    }
}

/* ARMv7-M ARM, A7.3.3: the next instruction's state. */
static uint8_t advance_it(uint8_t it) {
    return (it & 7u) == 0 ? 0 : (uint8_t)((it & 0xE0u) | ((uint32_t)it << 1 & 0x1Fu));
}

static void find_branch(struct nd__op *op) {
    op->branches = op->refill > 0;
    op->always = op->branches && op->kind != ND__OP_JUMP_IF && !op->conditional;
}

struct nd__op nd__core_decode(const struct nd__core *core, uint32_t code, uint8_t size,
                              uint32_t address, uint8_t it) {
    const struct nd__core_row *row = core->rows;
    struct nd__op op = {.size = size, .conditional = it != 0, .it = advance_it(it)};

    while ((code & row->mask) != row->match) {
        row++;
    }
    op.kind = row->kind;
    op.cycles = row->cycles;
    op.refill = row->refill;
    shape_data(&op, row->shape, code);
    shape_memory(&op, row->shape, code, address);
    if (op.kind == ND__OP_IT) {
        op.it = (uint8_t)(code >> 16);
    }
    find_data(&op, code);
    find_branch(&op);
    return op;
}

/* What a load just before saves one that can be pipelined. */
static bool is_pipelined(const struct nd__op *op, const struct nd__op *before) {
    return (op->kind == ND__OP_LOAD || op->kind == ND__OP_STORE_INDEX) &&
           before->kind == ND__OP_LOAD && !before->conditional &&
           (before->writes & op->address) == 0;
}

/* Cycles of an instruction that is executed. */
static unsigned full_cost(const struct nd__op *op, const struct nd__op *before) {
    unsigned cycles = op->cycles;

    if (before == NULL) {
        return cycles;
    }
    if (op->kind == ND__OP_IT) {
        return before->size == 2 ? 0 : cycles; /* folded onto a narrow one */
    }
    if (is_pipelined(op, before)) {
        return 1;
    }
    if (before->kind == ND__OP_DATA && (before->writes & op->address) != 0) {
        cycles++; /* 3.3.2: no forwarding from a result to an address */
    }
    if (before->kind == ND__OP_LOAD_UPDATE && op->kind == ND__OP_OTHER) {
        cycles--; /* 3.3.2: the load is reduced to one cycle, in front of CMP, TST, NOP */
    }
    return cycles;
}

unsigned nd__core_cost(const struct nd__op *op, const struct nd__op *before) {
    return op->conditional && op->words > 0 ? 1 : full_cost(op, before);
}

unsigned nd__core_access(const struct nd__op *op, const struct nd__op *before) {
    return op->words > 0 ? (full_cost(op, before) - 1) / op->words : 0;
}

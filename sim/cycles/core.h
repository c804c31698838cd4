/* SPDX-License-Identifier: BSD-3-Clause */
/* core.h - how many cycles a processor takes for an instruction, by a table of one core.
 *
 * A row says what an instruction is and what it costs by itself. What two instructions in a row
 * save or cost each other is the same for all rows of a kind: nd__core_cost(). */
#ifndef ND_CYCLES_CORE_H
#define ND_CYCLES_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an instruction does, as far as its neighbours' time depends on it. */
enum nd__op_kind {
    ND__OP_DATA,        /* computes a register */
    ND__OP_OTHER,       /* writes no register: compare, NOP, hint, system */
    ND__OP_IT,          /* if-then */
    ND__OP_LOAD,        /* one register, no base update */
    ND__OP_LOAD_UPDATE, /* one register, and the base */
    ND__OP_STORE,       /* one register, immediate offset */
    ND__OP_STORE_INDEX, /* one register, register offset */
    ND__OP_MULTIPLE,    /* several registers */
    ND__OP_JUMP,        /* always branches */
    ND__OP_JUMP_IF,     /* branches or goes on */
    ND__OP_CALL,        /* branches and keeps the way back */
    ND__OP_JUMP_FAR,    /* branches to what a register or the memory says: a return, or not */
    ND__OP_MARK,        /* the device's clock is read: see page.h */
    ND__OP_SHOW         /* the device asks for its cycles: likewise */
};

/* Where the registers stand in the code of an instruction. R(n) is the field that begins at bit n
 * of its 32 bits; a narrow instruction has the upper 16. */
enum nd__op_shape {
    ND__SHAPE_NONE,
    ND__SHAPE_D16,      /* narrow: writes the low register at 0 */
    ND__SHAPE_D24,      /* narrow: writes the low register at 8 */
    ND__SHAPE_DHIGH,    /* narrow: writes the register at 0 and bit 7 */
    ND__SHAPE_DSP,      /* narrow: writes the stack pointer */
    ND__SHAPE_D8,       /* wide: writes R(8) */
    ND__SHAPE_D8_D12,   /* wide: writes R(8) and R(12) */
    ND__SHAPE_LOW,      /* narrow: memory, one low register, base */
    ND__SHAPE_LOW_LOW,  /* narrow: memory, one low register, base, index */
    ND__SHAPE_SP,       /* narrow: memory, one low register, stack pointer */
    ND__SHAPE_LITERAL,  /* narrow: memory, one low register, from beside the code */
    ND__SHAPE_WLITERAL, /* wide: the same */
    ND__SHAPE_BASE,     /* wide: memory, R(12), base R(16) */
    ND__SHAPE_INDEX,    /* wide: memory, R(12), base R(16), index R(0) */
    ND__SHAPE_PAIR,     /* wide: memory, R(12) and R(8), base R(16) */
    ND__SHAPE_STACK,    /* narrow: memory, a list of low registers and one more, stack pointer */
    ND__SHAPE_LIST,     /* narrow: memory, a list of low registers, base */
    ND__SHAPE_WLIST     /* wide: memory, a list of registers, base R(16) */
};

/* One line of a core's table. */
struct nd__core_row {
    uint32_t mask; /* of the code */
    uint32_t match;
    enum nd__op_kind kind;
    enum nd__op_shape shape;
    uint8_t
        cycles; /* by itself, without the refill of a branch; of a list, without its registers */
    uint8_t refill;     /* of the pipeline, when it branches [cycles] */
    const char *source; /* what the manual says */
};

struct nd__core {
    const char *name;
    const struct nd__core_row *rows; /* the first that matches counts */
    size_t row_count;
};

extern const struct nd__core nd__cortex_m3;

/* An instruction, decoded. */
struct nd__op {
    enum nd__op_kind kind;
    uint8_t size;     /* [byte] */
    uint8_t cycles;   /* by itself, without refill */
    uint8_t refill;   /* when it branches */
    uint8_t words;    /* registers that it loads or stores */
    uint8_t data;     /* of each of them, when it is no stack and no literal [byte]; else 0 */
    bool stores;      /* and goes to the memory */
    uint16_t writes;  /* registers that it writes, one bit each */
    uint16_t address; /* registers that its address is made of */
    bool conditional; /* stands in an IT block */
    bool branches;    /* may go elsewhere than to the next one */
    bool always;      /* and always does */
    uint8_t it;       /* IT state after it, as the architecture's ITSTATE; 0 = outside */
    uint32_t literal; /* address that it loads from, when that stands in the code; else 0 */
};

/* Decode an instruction at an address. code: as in nd__core_row. it: the IT state before it. */
struct nd__op nd__core_decode(const struct nd__core *core, uint32_t code, uint8_t size,
                              uint32_t address, uint8_t it);

/* Cycles of op behind `before`; NULL: behind a branch. For one in an IT block that loads or stores:
 * of one whose condition fails; nd__core_access() has the rest. Refill of a branch apart. */
unsigned nd__core_cost(const struct nd__op *op, const struct nd__op *before);

/* Cycles for each access to memory that a conditional instruction really makes. */
unsigned nd__core_access(const struct nd__op *op, const struct nd__op *before);

#endif

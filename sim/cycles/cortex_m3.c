/* SPDX-License-Identifier: BSD-3-Clause */
/* The Cortex-M3 by its Technical Reference Manual, ARM DDI 0337I (r2p1): cycles from table 3-1 in
 * section 3.3.1, loads and stores also from section 3.3.2. Codes from the ARMv7-M Architecture
 * Reference Manual, ARM DDI 0403, chapters A5 and A7.
 *
 * P, the refill of the pipeline behind a taken branch, is "1 to 3" there. It is charged as the
 * first edition put it (DDI 0337E, section 18.2): 1 behind an immediate branch, 2 behind one to a
 * register, one more if the target is a wide instruction that is not aligned; and 3 behind a load
 * of the program counter (DDI 0337I, 3.3.2: "at least five cycles").
 *
 * Where the time depends on operands, which a plugin does not see, a number in the middle is
 * charged; the range stands beside it. */
#include "core.h"

enum { P_IMMEDIATE = 1, P_REGISTER = 2, P_LOAD = 3 };

#define ONE       "3-1: 1"
#define LOADS     "3-1: 2; 3.3.2: 1 behind a load whose result is not in its address"
#define UPDATES   "3.3.2: a load with base update is not pipelined: 2"
#define STORES    "3.3.2: STR with an immediate offset always 1"
#define INDEXED   "3-1: 2; 3.3.2: 1 behind a load, nothing is pipelined behind it"
#define MULTIPLES "3-1: 1 + N; 3.3.2: not pipelined with neighbours"
#define POP_PC    "3-1: 1 + N + P"
#define LOAD_PC   "3-1: 2 + P; 3.3.2: at least five cycles"
#define BRANCH    "3-1: 1 + P"
#define BRANCH_IF "3-1: 1 or 1 + P"
#define TABLE     "3-1: 2 + P; 3.3.2: two for the load, one for the add, three for the reload"
#define LONG      "3-1: 3 to 5, by operands that are not seen"
#define LONG_SUM  "3-1: 4 to 7, by operands that are not seen"
#define DIVISION  "3-1: 2 to 12, by operands that are not seen"

#define NARROW(mask, match) (uint32_t)(mask) << 16, (uint32_t)(match) << 16

static const struct nd__core_row rows[] = {
    /* ---- narrow: A5.2 ---- */
    {NARROW(0xF800, 0x2800), ND__OP_OTHER, ND__SHAPE_NONE, 1, 0, ONE}, /* CMP #imm8 */
    {NARROW(0xF800, 0x2000), ND__OP_DATA, ND__SHAPE_D24, 1, 0, ONE},   /* MOV #imm8 */
    {NARROW(0xF000, 0x3000), ND__OP_DATA, ND__SHAPE_D24, 1, 0, ONE},   /* ADD, SUB #imm8 */
    {NARROW(0xE000, 0x0000), ND__OP_DATA, ND__SHAPE_D16, 1, 0, ONE},   /* shifts, ADD, SUB */
    {NARROW(0xFFC0, 0x4200), ND__OP_OTHER, ND__SHAPE_NONE, 1, 0, ONE}, /* TST */
    {NARROW(0xFF80, 0x4280), ND__OP_OTHER, ND__SHAPE_NONE, 1, 0, ONE}, /* CMP, CMN */
    {NARROW(0xFC00, 0x4000), ND__OP_DATA, ND__SHAPE_D16, 1, 0, ONE},   /* the others, MUL too */
    {NARROW(0xFF87, 0x4487), ND__OP_JUMP_FAR, ND__SHAPE_NONE, 1, P_REGISTER, BRANCH}, /* ADD PC */
    {NARROW(0xFF00, 0x4400), ND__OP_DATA, ND__SHAPE_DHIGH, 1, 0, ONE},                /* ADD */
    {NARROW(0xFF00, 0x4500), ND__OP_OTHER, ND__SHAPE_NONE, 1, 0, ONE},                /* CMP */
    {NARROW(0xFF87, 0x4687), ND__OP_JUMP_FAR, ND__SHAPE_NONE, 1, P_REGISTER, BRANCH}, /* MOV PC */
    {NARROW(0xFF00, 0x4600), ND__OP_DATA, ND__SHAPE_DHIGH, 1, 0, ONE},                /* MOV */
    {NARROW(0xFF80, 0x4700), ND__OP_JUMP_FAR, ND__SHAPE_NONE, 1, P_REGISTER, BRANCH}, /* BX */
    {NARROW(0xFF80, 0x4780), ND__OP_CALL, ND__SHAPE_NONE, 1, P_REGISTER, BRANCH},     /* BLX */
    {NARROW(0xF800, 0x4800), ND__OP_LOAD, ND__SHAPE_LITERAL, 2, 0, LOADS},
    {NARROW(0xFE00, 0x5600), ND__OP_LOAD, ND__SHAPE_LOW_LOW, 2, 0, LOADS}, /* LDRSB */
    {NARROW(0xF800, 0x5800), ND__OP_LOAD, ND__SHAPE_LOW_LOW, 2, 0, LOADS},
    {NARROW(0xF800, 0x5000), ND__OP_STORE_INDEX, ND__SHAPE_LOW_LOW, 2, 0, INDEXED},
    {NARROW(0xF800, 0x6000), ND__OP_STORE, ND__SHAPE_LOW, 1, 0, STORES},
    {NARROW(0xF800, 0x6800), ND__OP_LOAD, ND__SHAPE_LOW, 2, 0, LOADS},
    {NARROW(0xF800, 0x7000), ND__OP_STORE, ND__SHAPE_LOW, 1, 0, STORES},
    {NARROW(0xF800, 0x7800), ND__OP_LOAD, ND__SHAPE_LOW, 2, 0, LOADS},
    {NARROW(0xF800, 0x8000), ND__OP_STORE, ND__SHAPE_LOW, 1, 0, STORES},
    {NARROW(0xF800, 0x8800), ND__OP_LOAD, ND__SHAPE_LOW, 2, 0, LOADS},
    {NARROW(0xF800, 0x9000), ND__OP_STORE, ND__SHAPE_SP, 1, 0, STORES},
    {NARROW(0xF800, 0x9800), ND__OP_LOAD, ND__SHAPE_SP, 2, 0, LOADS},
    {NARROW(0xF000, 0xA000), ND__OP_DATA, ND__SHAPE_D24, 1, 0, ONE}, /* ADR */
    {NARROW(0xFF00, 0xB000), ND__OP_DATA, ND__SHAPE_DSP, 1, 0, ONE}, /* ADD SP */
    {NARROW(0xF500, 0xB100), ND__OP_JUMP_IF, ND__SHAPE_NONE, 1, P_IMMEDIATE, BRANCH_IF}, /* CBZ */
    {NARROW(0xFF00, 0xB200), ND__OP_DATA, ND__SHAPE_D16, 1, 0, ONE},             /* SXTB ... UXTH */
    {NARROW(0xFF00, 0xBA00), ND__OP_DATA, ND__SHAPE_D16, 1, 0, ONE},             /* REV ... */
    {NARROW(0xFE00, 0xB400), ND__OP_MULTIPLE, ND__SHAPE_STACK, 1, 0, MULTIPLES}, /* PUSH */
    {NARROW(0xFF00, 0xBC00), ND__OP_MULTIPLE, ND__SHAPE_STACK, 1, 0, MULTIPLES}, /* POP */
    {NARROW(0xFF00, 0xBD00), ND__OP_JUMP_FAR, ND__SHAPE_STACK, 1, P_LOAD, POP_PC}, /* POP PC */
    {NARROW(0xFFE8, 0xB660), ND__OP_OTHER, ND__SHAPE_NONE, 1, 0, "3-1: 1 or 2"},   /* CPS */
    {NARROW(0xFF0F, 0xBF00), ND__OP_OTHER, ND__SHAPE_NONE, 1, 0, ONE},             /* NOP ... */
    {NARROW(0xFF00, 0xBF00), ND__OP_IT, ND__SHAPE_NONE, 1, 0, "3-1: 1, 0 when folded"},  /* IT */
    {NARROW(0xF800, 0xC000), ND__OP_MULTIPLE, ND__SHAPE_LIST, 1, 0, MULTIPLES},          /* STM */
    {NARROW(0xF800, 0xC800), ND__OP_MULTIPLE, ND__SHAPE_LIST, 1, 0, MULTIPLES},          /* LDM */
    {NARROW(0xFE00, 0xDE00), ND__OP_OTHER, ND__SHAPE_NONE, 1, 0, "3-1: not given"},      /* SVC */
    {NARROW(0xF000, 0xD000), ND__OP_JUMP_IF, ND__SHAPE_NONE, 1, P_IMMEDIATE, BRANCH_IF}, /* B<c> */
    {NARROW(0xF800, 0xE000), ND__OP_JUMP, ND__SHAPE_NONE, 1, P_IMMEDIATE, BRANCH},       /* B */

    /* ---- wide: A5.3.5 to A5.3.7, several registers, pairs, exclusive, tables ---- */
    {0xFFD08000, 0xE8908000, ND__OP_JUMP_FAR, ND__SHAPE_WLIST, 1, P_LOAD, POP_PC}, /* LDM with PC */
    {0xFFD08000, 0xE9108000, ND__OP_JUMP_FAR, ND__SHAPE_WLIST, 1, P_LOAD, POP_PC}, /* LDMDB */
    {0xFFC00000, 0xE8800000, ND__OP_MULTIPLE, ND__SHAPE_WLIST, 1, 0, MULTIPLES},
    {0xFFC00000, 0xE9000000, ND__OP_MULTIPLE, ND__SHAPE_WLIST, 1, 0, MULTIPLES},
    {0xFFF0FFE0, 0xE8D0F000, ND__OP_JUMP_FAR, ND__SHAPE_INDEX, 3, P_LOAD, TABLE}, /* TBB, TBH */
    {0xFFE00000, 0xE8400000, ND__OP_LOAD, ND__SHAPE_BASE, 2, 0, LOADS},           /* LDREX, STREX */
    {0xFFE00FC0, 0xE8C00F40, ND__OP_LOAD, ND__SHAPE_BASE, 2, 0, LOADS},           /* LDREXB, ... */
    {0xFE400000, 0xE8400000, ND__OP_MULTIPLE, ND__SHAPE_PAIR, 1, 0, MULTIPLES},   /* LDRD, STRD */

    /* ---- wide: A5.3.11, A5.3.1, A5.3.3, data processing ---- */
    {0xFFF00F00, 0xEA100F00, ND__OP_OTHER, ND__SHAPE_NONE, 1, 0, ONE}, /* TST */
    {0xFFF00F00, 0xEA900F00, ND__OP_OTHER, ND__SHAPE_NONE, 1, 0, ONE}, /* TEQ */
    {0xFFF00F00, 0xEB100F00, ND__OP_OTHER, ND__SHAPE_NONE, 1, 0, ONE}, /* CMN */
    {0xFFF00F00, 0xEBB00F00, ND__OP_OTHER, ND__SHAPE_NONE, 1, 0, ONE}, /* CMP */
    {0xFE000000, 0xEA000000, ND__OP_DATA, ND__SHAPE_D8, 1, 0, ONE},
    {0xFBF08F00, 0xF0100F00, ND__OP_OTHER, ND__SHAPE_NONE, 1, 0, ONE}, /* TST */
    {0xFBF08F00, 0xF0900F00, ND__OP_OTHER, ND__SHAPE_NONE, 1, 0, ONE}, /* TEQ */
    {0xFBF08F00, 0xF1100F00, ND__OP_OTHER, ND__SHAPE_NONE, 1, 0, ONE}, /* CMN */
    {0xFBF08F00, 0xF1B00F00, ND__OP_OTHER, ND__SHAPE_NONE, 1, 0, ONE}, /* CMP */
    {0xF8008000, 0xF0000000, ND__OP_DATA, ND__SHAPE_D8, 1, 0, ONE},    /* MOVW, BFI ... too */

    /* ---- wide: A5.3.4, branches and control ---- */
    {0xF800D000, 0xF000D000, ND__OP_CALL, ND__SHAPE_NONE, 1, P_IMMEDIATE, BRANCH}, /* BL */
    {0xF800D000, 0xF0009000, ND__OP_JUMP, ND__SHAPE_NONE, 1, P_IMMEDIATE, BRANCH}, /* B.W */
    {0xFFFFFFFF, 0xF3AF80FC, ND__OP_SHOW, ND__SHAPE_NONE, 1, 0, ONE},              /* DBG #12 */
    {0xFFFFFFFF, 0xF3AF80FD, ND__OP_MARK, ND__SHAPE_NONE, 1, 0, ONE},              /* DBG #13 */
    {0xFFF0D000, 0xF3A08000, ND__OP_OTHER, ND__SHAPE_NONE, 1, 0, ONE},             /* NOP.W ... */
    {0xFFE0D000, 0xF3808000, ND__OP_OTHER, ND__SHAPE_NONE, 2, 0, "3-1: 1 or 2"},   /* MSR */
    {0xFFF0D0F0, 0xF3B08060, ND__OP_OTHER, ND__SHAPE_NONE, 1 + P_LOAD, 0, "3-1: 1 + B, a refill"},
    {0xFFF0D000, 0xF3B08000, ND__OP_OTHER, ND__SHAPE_NONE, 1, 0,
     "3-1: 1 + B, at least 0"},                                               /* DSB */
    {0xFFE0D000, 0xF3E08000, ND__OP_DATA, ND__SHAPE_D8, 2, 0, "3-1: 1 or 2"}, /* MRS */
    {0xF800D000, 0xF0008000, ND__OP_JUMP_IF, ND__SHAPE_NONE, 1, P_IMMEDIATE,
     BRANCH_IF}, /* B<c>.W */

    /* ---- wide: A5.3.7 to A5.3.10, one register ---- */
    {0xFFF0F000, 0xF8D0F000, ND__OP_JUMP_FAR, ND__SHAPE_BASE, 2, P_LOAD, LOAD_PC},
    {0xFF7FF000, 0xF85FF000, ND__OP_JUMP_FAR, ND__SHAPE_WLITERAL, 2, P_LOAD, LOAD_PC},
    {0xFFF0F800, 0xF850F800, ND__OP_JUMP_FAR, ND__SHAPE_BASE, 2, P_LOAD, LOAD_PC},
    {0xFFF0FFC0, 0xF850F000, ND__OP_JUMP_FAR, ND__SHAPE_INDEX, 2, P_LOAD, LOAD_PC},
    {0xFE10F000, 0xF810F000, ND__OP_OTHER, ND__SHAPE_NONE, 1, 0, ONE}, /* PLD ... */
    {0xFE1F0000, 0xF81F0000, ND__OP_LOAD, ND__SHAPE_WLITERAL, 2, 0, LOADS},
    {0xFE900000, 0xF8900000, ND__OP_LOAD, ND__SHAPE_BASE, 2, 0, LOADS},
    {0xFE900900, 0xF8100900, ND__OP_LOAD_UPDATE, ND__SHAPE_BASE, 2, 0, UPDATES},
    {0xFE900800, 0xF8100800, ND__OP_LOAD, ND__SHAPE_BASE, 2, 0, LOADS},
    {0xFE900FC0, 0xF8100000, ND__OP_LOAD, ND__SHAPE_INDEX, 2, 0, LOADS},
    {0xFF900000, 0xF8800000, ND__OP_STORE, ND__SHAPE_BASE, 1, 0, STORES},
    {0xFF900800, 0xF8000800, ND__OP_STORE, ND__SHAPE_BASE, 1, 0, STORES},
    {0xFF900FC0, 0xF8000000, ND__OP_STORE_INDEX, ND__SHAPE_INDEX, 2, 0, INDEXED},

    /* ---- wide: A5.3.12 to A5.3.17, registers, products, quotients ---- */
    {0xFF000000, 0xFA000000, ND__OP_DATA, ND__SHAPE_D8, 1, 0, ONE},
    {0xFFF0F0F0, 0xFB00F000, ND__OP_DATA, ND__SHAPE_D8, 1, 0, "3-1: MUL 1"},
    {0xFFF000E0, 0xFB000000, ND__OP_DATA, ND__SHAPE_D8, 2, 0, "3-1: MLA, MLS 2"},
    {0xFFD0F0F0, 0xFB90F0F0, ND__OP_DATA, ND__SHAPE_D8, 7, 0, DIVISION},
    {0xFFD000F0, 0xFB800000, ND__OP_DATA, ND__SHAPE_D8_D12, 4, 0, LONG},     /* SMULL, UMULL */
    {0xFFD000F0, 0xFBC00000, ND__OP_DATA, ND__SHAPE_D8_D12, 6, 0, LONG_SUM}, /* SMLAL, UMLAL */

    /* ---- what this core does not have ---- */
    {0, 0, ND__OP_OTHER, ND__SHAPE_NONE, 1, 0, "no instruction of ARMv7-M"},
};

const struct nd__core nd__cortex_m3 = {"cortex-m3", rows, sizeof rows / sizeof rows[0]};

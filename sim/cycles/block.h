/* SPDX-License-Identifier: BSD-3-Clause */
/* block.h - a run of instructions that is entered at its start and left at its end, with what it
 * costs. QEMU makes the blocks; where it cuts the code has no influence on the sum. */
#ifndef ND_CYCLES_BLOCK_H
#define ND_CYCLES_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core.h"
#include "flash.h"

/* One instruction of a block. */
struct nd__place {
    uint32_t literal; /* address that it loads from; 0 = none, or not known */
    uint16_t offset;  /* from the block's start [byte] */
    uint16_t cycles;  /* of the instructions in front of it in the block */
    uint8_t access;   /* cycles for each access to memory that it makes */
    uint8_t data;     /* bytes of data of each */
    bool stores;      /* which go to the memory */
    bool touches;     /* loads or stores */
    bool slips;       /* loads from an address that may be not aligned */
    bool marks;       /* is a mark */
    bool shows;       /* asks for the count */
};

struct nd__block {
    uint32_t start;
    uint32_t end;      /* the first address behind it */
    uint32_t cycles;   /* entered by a branch */
    int32_t carry;     /* more [cycles], entered from the instruction in front of it */
    uint32_t waited;   /* for flash, when it was entered last [cycles] */
    uint32_t refill;   /* when the last instruction branched [cycles] */
    uint32_t late;     /* more, to enter it by a branch: a wide instruction, not aligned [cycles] */
    bool late_counts;  /* behind the branch at its end */
    bool always;       /* the last instruction always branches */
    bool calls;        /* and is a call */
    bool far;          /* and may be a return */
    bool stoppable;    /* QEMU may leave it before its end */
    uint32_t function; /* that it lies in; as nd__calls_function() */
    /* The lines of flash that it asks for, in order; made for the flash of this number. */
    struct nd__flash_step *steps;
    uint32_t step_count;
    uint32_t steps_number;
    uint64_t seen; /* state of the flash in which it has nothing to wait for */
    uint32_t count;
    struct nd__place places[];
};

/* What was decoded so far, by the address behind it. All zero is empty. */
struct nd__history {
    struct nd__past {
        uint32_t end; /* 0 = free */
        struct nd__op op;
    } * pasts;
    size_t size; /* a power of two */
    size_t used;
};

/* The code of one instruction. */
struct nd__code {
    uint32_t code; /* as in core.h */
    uint8_t size;
};

/* Make a block; NULL without memory. It lives as long as the process. */
struct nd__block *nd__block_make(const struct nd__core *core, struct nd__history *history,
                                 uint32_t start, const struct nd__code *codes, uint32_t count);

/* Enter a block at this time: cycles that it waits for the flash, in block->waited as well. */
uint32_t nd__block_wait(struct nd__block *block, struct nd__flash *flash, uint64_t now);

/* Cycles from the beginning of one of its instructions to the block's end, as it was entered last.
 */
uint32_t nd__block_rest(const struct nd__block *block, const struct nd__place *place);

/* The place at an address in the middle of it; NULL when no instruction begins there. */
const struct nd__place *nd__block_place(const struct nd__block *block, uint32_t address);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* flash.h - flash memory with wait states, behind an accelerator as NXP's LPC17xx has it.
 *
 * UM10360, chapter 5: an access takes several clocks and brings a line. Lines that the processor
 * asked for are kept in buffers; the one behind is fetched ahead into a latch, and moves to a
 * buffer when the processor asks for it, or is dropped. Which buffer gives way is not told: here
 * it is the one that was filled first. A literal that misses takes a buffer, too, and starts a
 * fetch ahead that is under way anew.
 *
 * Loads from flash other than literals are not seen. */
#ifndef ND_CYCLES_FLASH_H
#define ND_CYCLES_FLASH_H

#include <stdbool.h>
#include <stdint.h>

#include "page.h"

/* A line that a piece of code asks for. */
struct nd__flash_step {
    uint32_t line;
    uint32_t cycles; /* of the code until then, without waiting */
    uint32_t place;  /* the instruction that asks */
    uint32_t
        waited;   /* until it had the line, all steps together, when it was walked last [cycles] */
    bool literal; /* loads from it */
};

/* Owner: the caller. All zero: no wait states. */
struct nd__flash {
    struct nd__page_flash cfg;
    uint32_t number;                  /* of this configuration */
    unsigned line_shift;              /* line_bytes is 1 << line_shift */
    uint8_t *kept;                    /* by line: it lies in a buffer */
    uint32_t lines[ND__PAGE_BUFFERS]; /* those that do */
    uint32_t oldest;                  /* the buffer that gives way next */
    uint32_t ahead;                   /* line in the latch; 0 = none */
    uint64_t ahead_ready;             /* when it is there [cycles] */
    uint64_t changes;                 /* of buffers or latch */
};

/* Begin anew with empty buffers. False without memory. */
bool nd__flash_init(struct nd__flash *flash, const struct nd__page_flash *cfg);

/* The line of an address, from 1; 0 where there is no flash. */
uint32_t nd__flash_line(const struct nd__flash *flash, uint32_t address);

/* Take the steps, from this time on. Cycles that the processor waits in all. */
uint32_t nd__flash_walk(struct nd__flash *flash, struct nd__flash_step *steps, uint32_t count,
                        uint64_t now);

#endif

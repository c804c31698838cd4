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

/* Owner: the caller. All zero: no wait states. */
struct nd__flash {
    struct nd__page_flash cfg;
    uint32_t lines[ND__PAGE_BUFFERS]; /* number of the line + 1; 0 = empty */
    uint32_t oldest;                  /* the buffer that gives way next */
    uint32_t ahead;                   /* line + 1 in the latch; 0 = none */
    uint64_t ahead_ready;             /* when it is there [cycles] */
    uint64_t changes;                 /* of buffers or latch */
};

/* Begin with empty buffers. */
void nd__flash_init(struct nd__flash *flash, const struct nd__page_flash *cfg);

/* The line of an address; 0 where there is no flash. */
uint32_t nd__flash_line(const struct nd__flash *flash, uint32_t address);

/* Ask for a line, at this time. Cycles that the processor has to wait. */
unsigned nd__flash_fetch(struct nd__flash *flash, uint32_t line, uint64_t now);
unsigned nd__flash_load(struct nd__flash *flash, uint32_t line, uint64_t now);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* page.h - the memory that the plugin in QEMU and the simulator share.
 *
 * The device reads its clock once for each lockstep record, and executes a mark (the hint DBG #13,
 * a NOP on every core) as it does: so the mark of number n is the time of record n, however far
 * the device is ahead of who reads the records. What the simulator writes here while the device
 * waits for an answer counts from the next mark on. */
#ifndef ND_CYCLES_PAGE_H
#define ND_CYCLES_PAGE_H

#include <stdint.h>

/* Set by the plugin when it begins to count; changes with the layout. */
#define ND__PAGE_MAGIC 0x3143594Eu

/* More than the records that fit into a pipe and the simulator's buffer; a power of two. */
#define ND__PAGE_MARKS 16384u

/* Functions of a firmware; and contexts, which are chains of calls, that were met. */
#define ND__PAGE_FUNCTIONS 8192u
#define ND__PAGE_CONTEXTS  32768u

/* Who is charged with what belongs to nobody. */
#define ND__PAGE_NO_FUNCTION 0u

/* What the code lies in. */
struct nd__page_flash {
    uint32_t waits;      /* wait states of an access; 0 = none, and the rest has no meaning */
    uint32_t line_bytes; /* that an access brings; a power of two */
    uint32_t buffers;    /* lines kept; at most ND__PAGE_BUFFERS */
};

#define ND__PAGE_BUFFERS 16u

/* Where a function lies. Sorted by start, without overlaps. */
struct nd__page_function {
    uint32_t start;
    uint32_t end; /* the first address behind it */
};

/* Of a function's calls that began and ended in the period: cycles from entry to return. */
struct nd__page_calls {
    uint64_t count;
    uint64_t total;
    uint64_t min;
    uint64_t max;
};

/* A function, called by a chain of others. Context 0 is where the device was when counting
 * began. A parent comes before its children. */
struct nd__page_context {
    uint32_t parent;
    uint32_t function; /* index plus 1; 0 = none of the table */
    uint64_t cycles;   /* of itself, without what it called */
    uint64_t entries;  /* calls that began */
};

/* A period, from one mark to another. */
struct nd__page_profile {
    uint64_t cycles;       /* of the period: the sum of all contexts' cycles */
    uint64_t instructions; /* executed in it */
    uint32_t context_count;
    uint32_t lost; /* contexts for which there was no room; their cycles went to their parents */
    struct nd__page_context contexts[ND__PAGE_CONTEXTS];
    struct nd__page_calls calls[ND__PAGE_FUNCTIONS + 1]; /* by context.function */
};

struct nd__page {
    uint32_t magic;
    struct nd__page_flash flash;
    uint64_t cycles;       /* at the block of code that is being executed */
    uint64_t instructions; /* the same */
    uint64_t mark_count;
    uint64_t marks[ND__PAGE_MARKS]; /* cycles at mark n, at n modulo ND__PAGE_MARKS */

    /* Calls are followed when there are functions. */
    uint32_t function_count;
    struct nd__page_function functions[ND__PAGE_FUNCTIONS];
    uint32_t turns_asked; /* at the next mark the profile is written here and begins anew */
    uint32_t turns_done;
    struct nd__page_profile profile;
};

#endif

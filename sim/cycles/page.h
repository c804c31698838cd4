/* SPDX-License-Identifier: BSD-3-Clause */
/* page.h - the memory that the plugin in QEMU and the simulator share.
 *
 * The device reads its clock once for each lockstep record, and executes a mark (the hint DBG #13,
 * a NOP on every core) as it does: so the mark of number n is the time of record n, however far
 * the device is ahead of who reads the records. What the simulator writes here while the device
 * waits for an answer counts from the next mark on.
 *
 * A device that wants to know the cycles itself executes the hint DBG #12, and finds the low word
 * of their count in the window: the first word of memory that the simulator gave to QEMU for the
 * board's external RAM. Firmware that does not ask is not disturbed. */
#ifndef ND_CYCLES_PAGE_H
#define ND_CYCLES_PAGE_H

#include <stdint.h>

#include "profile.h"
#include "trace.h"

/* Set by the plugin when it begins to count; changes with the layout. */
#define ND__PAGE_MAGIC 0x3343594Eu

/* More than the records that fit into a pipe and the simulator's buffer; a power of two. */
#define ND__PAGE_MARKS 16384u

/* Who is charged with what belongs to nobody. */
#define ND__PAGE_NO_FUNCTION 0u

/* What the code lies in. */
struct nd__page_flash {
    uint32_t waits;      /* wait states of an access; 0 = none, and the rest has no meaning */
    uint32_t line_bytes; /* that an access brings; a power of two */
    uint32_t buffers;    /* lines kept; at most ND__PAGE_BUFFERS */
};

#define ND__PAGE_BUFFERS 16u

/* The external RAM of mps2-an385 [byte]. QEMU takes no other size. */
#define ND__WINDOW_BYTES (16u << 20)

struct nd__page {
    uint32_t magic;
    struct nd__page_flash flash;
    uint64_t cycles;       /* at the block of code that is being executed */
    uint64_t instructions; /* the same */
    uint64_t mark_count;
    uint64_t marks[ND__PAGE_MARKS]; /* cycles at mark n, at n modulo ND__PAGE_MARKS */

    /* Calls are followed when there are functions. */
    uint32_t function_count;
    struct nd_sim_function functions[ND_SIM_FUNCTIONS];
    uint32_t turns_asked; /* at the next mark the profile is written here and begins anew */
    uint32_t turns_done;
    struct nd_sim_profile profile;

    /* Changes of function are recorded behind the page, from the first mark at which that is wanted
     * to the first at which it is not. */
    uint32_t tape_room; /* changes; 0 = no record */
    uint32_t tape_wanted;
    uint32_t tape_done;
    uint32_t tape_count;
    uint32_t tape_lost;
};

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* The instruction count. Timer 1 of the CMSDK dual timer (Arm DDI 0479, "Dual timer") counts down
 * at 25 MHz of QEMU's virtual time. With -icount shift=6 an instruction takes 64 ns of it, which is
 * 1.6 counts: instructions = counts * 5 / 8, kept as eighths so that nothing is lost and nothing is
 * divided. */
#include "ticks.h"
#include "board.h"
#include "machine.h"

#include "nd/config.h"

struct timer {
    volatile uint32_t load;
    volatile const uint32_t value;
    volatile uint32_t control;
};

#define TIMER ((struct timer *)0x40002000u)

#define CONTROL_ENABLE 0x80u
#define CONTROL_32_BIT 0x02u /* and bit 6 clear: free-running, over again from 2^32 - 1 */

static uint32_t last;         /* the latest reading */
static uint32_t eighths;      /* of an instruction, below 8 */
static uint64_t instructions; /* since nd_ticks_start() */

void nd_ticks_start(void) {
    TIMER->control = CONTROL_32_BIT;
    TIMER->load = UINT32_MAX;
    TIMER->control = CONTROL_32_BIT | CONTROL_ENABLE;
    last = TIMER->value;
}

/* The hint that tells who counts cycles outside that the clock is read: a NOP on every core
 * (ARMv7-M ARM, A7.7.32). */
static inline void mark(void) {
    __asm__ volatile("dbg #13" ::: "memory");
}

static uint64_t count(uint32_t value) {
    eighths += (last - value) * 5u; /* fits while readings are less than 2^32 / 5 counts apart */
    last = value;
    instructions += eighths >> 3;
    eighths &= 7u;
    return instructions;
}

uint64_t nd_machine_ticks(void) {
    uint32_t value = TIMER->value;

    mark();
    return count(value);
}

/* ---- the clock ---- */

/* The external RAM. Who counts cycles outside puts their number here when the hint asks for it. */
#define WINDOW ((volatile const uint32_t *)0x21000000u)

ND_TIMING_CODE static uint32_t read_cycles(void *ctx) {
    (void)ctx;
    __asm__ volatile("dbg #12" ::: "memory");
    return *WINDOW;
}

static uint32_t read_instructions(void *ctx) {
    (void)ctx;
    return (uint32_t)count(TIMER->value);
}

void nd_machine_clock(struct nd_clock *clock) {
    bool counts = read_cycles(NULL) != read_cycles(NULL);

    *clock = (struct nd_clock){.read = counts ? read_cycles : read_instructions,
                               .name = counts ? "cycles" : ND_BOARD_CLOCK_NAME,
                               .hz = ND_BOARD_HZ,
                               .bits = 32,
                               .kind = counts ? ND_CLOCK_CYCLES : ND_BOARD_TICK_KIND};
}

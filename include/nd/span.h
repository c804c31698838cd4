/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/span.h - marks in firmware: here it enters a part of its work, here it leaves it, and this
 * task runs from now on.
 *
 * The marks stand in the code for good:
 *
 *     ND_SPAN_BEGIN(SPAN_CHECKSUM);
 *     sum = checksum(data, len);
 *     ND_SPAN_END(SPAN_CHECKSUM);
 *
 * and what they do is decided by ND_CFG_SPAN when the file is compiled:
 *
 *     ND_SPAN_OFF    nothing: not an instruction, the argument is not evaluated (default)
 *     ND_SPAN_RING   an event with its time, in a ring in RAM that the console prints (`spans`)
 *     ND_SPAN_PINS   a bit of an output port goes up and down, for a logic analyser; `netdyno trace
 *                    --from` counts what that has seen
 *
 * Ids are small numbers of the owner's choice, below 65536, or 32 on pins.
 *
 * Cost on a Cortex-M3, GCC 12 -O2, code without wait states, as tests/sim/test_span.py measures it:
 * a mark takes 31 cycles in the ring, with a clock that is loaded from memory as CYCCNT is, and
 * each event that is kept 8 byte of RAM; or 4 cycles on pins, and no RAM. */
#ifndef ND_SPAN_H
#define ND_SPAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nd/clock.h"
#include "nd/config.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the marks --------------------------------------------------------------------- */

#if ND_CFG_SPAN == ND_SPAN_OFF
#define ND_SPAN_BEGIN(id) ((void)0)
#define ND_SPAN_END(id)   ((void)0)
#define ND_SPAN_TASK(id)  ((void)0)

#elif ND_CFG_SPAN == ND_SPAN_RING
#define ND_SPAN_BEGIN(id) nd_span_put(ND_SPAN_BEGUN | (uint32_t)(id))
#define ND_SPAN_END(id)   nd_span_put(ND_SPAN_ENDED | (uint32_t)(id))
#define ND_SPAN_TASK(id)  nd_span_put(ND_SPAN_RUNS | (uint32_t)(id))

#elif ND_CFG_SPAN == ND_SPAN_PINS
/* Bit n of the port is id n. The owner says how bits go up and down: by two macros,
 *
 *     #define ND_CFG_SPAN_SET(bits)   (GPIOA->BSRR = (bits))
 *     #define ND_CFG_SPAN_CLEAR(bits) (GPIOA->BSRR = (bits) << 16)
 *
 * or by the addresses of two registers that take a mask, such as FIO0SET (0x2009C018) and FIO0CLR
 * (0x2009C01C) of an LPC1768 (UM10360, chapter 9): ND_CFG_SPAN_SET_REGISTER,
 * ND_CFG_SPAN_CLEAR_REGISTER. Both in ND_CFG_FILE or on the command line. The owner makes the pins
 * outputs. */
#ifndef ND_CFG_SPAN_SET
#define ND_CFG_SPAN_SET(bits)                                                                      \
    ((void)(*(volatile uint32_t *)(uintptr_t)(ND_CFG_SPAN_SET_REGISTER) = (bits)))
#endif
#ifndef ND_CFG_SPAN_CLEAR
#define ND_CFG_SPAN_CLEAR(bits)                                                                    \
    ((void)(*(volatile uint32_t *)(uintptr_t)(ND_CFG_SPAN_CLEAR_REGISTER) = (bits)))
#endif
/* The bits that stand for tasks, of which one is up at a time. */
#ifndef ND_CFG_SPAN_TASKS
#define ND_CFG_SPAN_TASKS 0u
#endif
#define ND_SPAN_BEGIN(id) ND_CFG_SPAN_SET((uint32_t)1 << (id))
#define ND_SPAN_END(id)   ND_CFG_SPAN_CLEAR((uint32_t)1 << (id))
#define ND_SPAN_TASK(id)                                                                           \
    (ND_CFG_SPAN_CLEAR((uint32_t)(ND_CFG_SPAN_TASKS) & ~((uint32_t)1 << (id))),                    \
     ND_CFG_SPAN_SET((uint32_t)1 << (id)))

#else
#error "ND_CFG_SPAN: expected ND_SPAN_OFF, ND_SPAN_RING or ND_SPAN_PINS"
#endif

/* ---- the ring ---------------------------------------------------------------------- */

/* What an event is: a kind, and in the 16 bits below it an id. */
#define ND_SPAN_BEGUN 0x10000u
#define ND_SPAN_ENDED 0x20000u
#define ND_SPAN_RUNS  0x30000u /* a task: the one that ran before does so no more */
#define ND_SPAN_ID    0x0FFFFu

struct nd_span_event {
    uint32_t at; /* the clock's reading [ticks], modulo its width */
    uint32_t what;
};

/* How to record. Everything is the caller's and stays in place while it is recorded. */
struct nd_span_cfg {
    const struct nd_clock *clock;
    struct nd_span_event *events;
    uint32_t event_count;     /* above 0; the latest so many are kept */
    const char *const *names; /* of ids, static; NULL = none */
    uint32_t name_count;      /* ids below this have a name */
};

/* The record. Read it freely while it is stopped; write none. */
struct nd_span_ring {
    const volatile uint32_t
        *counter; /* a mark's time lies here; NULL = stopped, or ask the clock */
    struct nd_span_event *next;
    struct nd_span_event *end;
    uint32_t laps; /* times that the ring was full */
    bool on;
    struct nd_span_cfg cfg;
};

/* The program's one ring, in probes/span.c. */
extern struct nd_span_ring nd_span_ring;

/* Begin to record, with an empty ring. ND_OK; ND_E_ARG when the clock is not valid or there is no
 * room for an event, and then nothing changes. */
int nd_span_start(const struct nd_span_cfg *cfg);

/* What the macros do: put an event into the ring, over the oldest one when it is full. Nothing when
 * nd_span_start() was not called or the record is stopped.
 *
 * From a task or an interrupt, but where one can interrupt another that marks, too, both must
 * be kept apart by the owner: an event may be lost or mixed from two otherwise. */
void nd_span_put(uint32_t what);

/* Stop a ring, so that it can be read, or let it go on. */
static inline void nd_span_switch(struct nd_span_ring *ring, bool on) {
    ring->on = on && ring->cfg.events != NULL;
    ring->counter = ring->on ? ring->cfg.clock->counter : NULL;
}

/* Forget the events. */
static inline void nd_span_clear(struct nd_span_ring *ring) {
    ring->next = ring->cfg.events;
    ring->laps = 0;
}

/* Events so far. */
static inline uint64_t nd_span_put_count(const struct nd_span_ring *ring) {
    return (uint64_t)ring->laps * ring->cfg.event_count + (uint32_t)(ring->next - ring->cfg.events);
}

/* Events that are kept, and one of them: 0 is the oldest. */
static inline uint32_t nd_span_count(const struct nd_span_ring *ring) {
    return ring->laps > 0 ? ring->cfg.event_count : (uint32_t)(ring->next - ring->cfg.events);
}

static inline const struct nd_span_event *nd_span_at(const struct nd_span_ring *ring,
                                                     uint32_t index) {
    uint32_t behind = (uint32_t)(ring->end - ring->next); /* as many are older than all in front */

    if (ring->laps == 0) {
        return &ring->cfg.events[index];
    }
    return index < behind ? &ring->next[index] : &ring->cfg.events[index - behind];
}

/* ---- the console ------------------------------------------------------------------- */

struct nd_command;

/* The console command `spans`, which stops the record and prints it, oldest first; `spans start`
 * records anew. command: the caller's; ring: &nd_span_ring. */
void nd_span_command(struct nd_command *command, struct nd_span_ring *ring);

#ifdef __cplusplus
}
#endif
#endif

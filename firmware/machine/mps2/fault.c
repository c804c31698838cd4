/* SPDX-License-Identifier: BSD-3-Clause */
#include "fault.h"
#include "machine.h"
#include "station.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ARMv7-M, B3.2.15: configurable fault status register. */
#define CFSR (*(volatile const uint32_t *)0xE000ED28u)

/* B1.5.6: r0-r3, r12, lr, pc, xpsr. */
#define FRAME_WORDS 8
#define FRAME_PC    6

/* B3.5: memory protection unit. */
struct mpu {
    volatile const uint32_t type;
    volatile uint32_t control;
    volatile uint32_t number;
    volatile uint32_t base;
    volatile uint32_t attributes;
};

#define MPU                 ((struct mpu *)0xE000ED90u)
#define MPU_CONTROL_ON      5u                         /* and the default map elsewhere */
#define MPU_NO_ACCESS_32_KB (1u << 28 | 14u << 1 | 1u) /* 2^(14 + 1) bytes, never execute */
#define GUARD_BYTES         32768u

extern uint32_t nd_stack_low[];
extern uint32_t nd_stack_high[];

static void say(const char *text) {
    size_t length = 0;
    while (text[length] != '\0') {
        length++;
    }
    nd_station_console_write(text, length);
}

static void say_hex(uint32_t value) {
    char digits[8];
    for (unsigned i = 0; i < sizeof(digits); i++) {
        digits[i] = "0123456789abcdef"[value >> 28];
        value <<= 4;
    }
    nd_station_console_write(digits, sizeof(digits));
}

void nd_fault_guard_stack(void) {
    MPU->number = 0;
    MPU->base = (uint32_t)nd_stack_low - GUARD_BYTES;
    MPU->attributes = MPU_NO_ACCESS_32_KB;
    MPU->control = MPU_CONTROL_ON;
    __asm__ volatile("dsb\n isb" ::: "memory");
}

_Noreturn void nd__fault_tell(const uint32_t *frame);

/* frame: the stack pointer on entry, at the eight words that the processor pushed if there was
 * room.
 */
_Noreturn void nd__fault_tell(const uint32_t *frame) {
    uint32_t exception;
    bool pushed = (uintptr_t)frame >= (uintptr_t)nd_stack_low &&
                  (uintptr_t)(frame + FRAME_WORDS) <= (uintptr_t)nd_stack_high;
    __asm__ volatile("mrs %0, ipsr" : "=r"(exception));
    say("netdyno fault: exception 0x");
    say_hex(exception);
    say(", status 0x");
    say_hex(CFSR);
    if (pushed) {
        say(", at 0x");
        say_hex(frame[FRAME_PC]);
    } else {
        say(", the stack is used up");
    }
    say("\n");
    nd_station_exit(ND_MACHINE_FAULT_EXIT);
}

/* A stack that ran out cannot serve the handler, which then starts again at its top. */
__attribute__((naked)) void nd_fault(void) {
    __asm__ volatile("mrs r0, msp\n"
                     "ldr r1, =nd_stack_low + 512\n"
                     "cmp r0, r1\n"
                     "bhs nd__fault_tell\n"
                     "ldr r1, =nd_stack_high\n"
                     "msr msp, r1\n"
                     "b nd__fault_tell\n");
}

/* SPDX-License-Identifier: BSD-3-Clause */
#include "fault.h"
#include "machine.h"
#include "station.h"

#include <stdbool.h>
#include <stddef.h>

/* ARMv7-M, B3.2.15: configurable fault status register. */
#define CFSR (*(volatile const uint32_t *)0xE000ED28u)

/* B1.5.6: r0-r3, r12, lr, pc, xpsr. */
#define FRAME_WORDS 8
#define FRAME_PC    6

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

_Noreturn void nd_fault(const uint32_t *frame) {
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

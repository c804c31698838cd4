/* SPDX-License-Identifier: BSD-3-Clause */
/* From reset to main(): vector table, memory, command line, and what happens on a fault. */
#include "fault.h"
#include "machine.h"
#include "semihost.h"
#include "stack_paint.h"
#include "ticks.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "nd/error.h"

#define COMMAND_LINE_BYTES 512u
#define WORDS              8

/* From the linker script. */
extern uint32_t nd_stack_low[];
extern uint32_t nd_stack_high[];
extern uint8_t nd_data_low[];
extern uint8_t nd_data_high[];
extern const uint8_t nd_data_image[];
extern uint8_t nd_bss_low[];
extern uint8_t nd_bss_high[];

int main(int argc, char **argv);

static struct nd_stack_paint main_stack;
static char command_line[COMMAND_LINE_BYTES];
static char *words[WORDS];

/* Cut the emulator's command line at its spaces; paths with spaces in them are not supported. */
static int read_command_line(void) {
    const uint32_t arguments[] = {(uint32_t)command_line, sizeof(command_line)};
    bool in_word = false;
    int count = 0;

    if (nd_semihost(ND_SYS_GET_CMDLINE, arguments) != 0) {
        return 0;
    }
    for (char *at = command_line; *at != '\0'; at++) {
        if (*at == ' ') {
            *at = '\0';
            in_word = false;
        } else if (!in_word && count < WORDS) {
            words[count] = at;
            count++;
            in_word = true;
        }
    }
    return count;
}

_Noreturn void nd_reset(void);

_Noreturn void nd_reset(void) {
    /* The linker script makes each pair of marks one object. */
    /* cppcheck-suppress comparePointers */
    memcpy(nd_data_low, nd_data_image, (size_t)(nd_data_high - nd_data_low));
    /* cppcheck-suppress comparePointers */
    memset(nd_bss_low, 0, (size_t)(nd_bss_high - nd_bss_low));
    nd_stack_paint_start(&main_stack, nd_stack_low, nd_stack_high);
    nd_fault_guard_stack();
    nd_ticks_start();
    nd_machine_exit(main(read_command_line(), words));
}

int nd_machine_stack(void *ctx, unsigned index, struct nd_stack *stack) {
    (void)ctx;
    if (index > 0) {
        return ND_EOF;
    }
    nd_stack_paint_read(&main_stack, stack);
    stack->name = "main";
    return ND_OK;
}

/* ARMv7-M, B1.5.2: the first word is the stack pointer, then the exceptions by number. */
struct vectors {
    uint32_t *stack;
    void (*handlers[15])(void);
};

__attribute__((section(".vectors"), used)) static const struct vectors vectors = {
    .stack = nd_stack_high,
    .handlers = {nd_reset, nd_fault, nd_fault, nd_fault, nd_fault, nd_fault, nd_fault, nd_fault,
                 nd_fault, nd_fault, nd_fault, nd_fault, nd_fault, nd_fault, nd_fault},
};

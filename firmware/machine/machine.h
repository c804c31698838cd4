/* SPDX-License-Identifier: BSD-3-Clause */
/* machine.h - what an image needs of the thing it runs on: two byte streams to the simulator, a
 * count of the work done, and an end.
 *
 * machine/mps2 does it on a Cortex-M3 in QEMU, machine/native in a process of the host. */
#ifndef ND_MACHINE_H
#define ND_MACHINE_H

#include <stddef.h>
#include <stdint.h>

#include "nd/clock.h"
#include "nd/memory.h"

/* Exit code of a device that met a fault or a failed assertion. */
#define ND_MACHINE_FAULT_EXIT 3

/* Open the stream to the simulator, then the one from it: the last two words of the command line,
 * in this order. Ends the program when either cannot be opened. */
void nd_machine_open(int argc, char **argv);

/* Send all of len bytes. Ends the program when the simulator is gone. */
void nd_machine_write(const void *bytes, size_t len);

/* Receive exactly len bytes; no time passes meanwhile. Ends the program when the simulator is gone.
 */
void nd_machine_read(void *bytes, size_t len);

/* Work done since start [ticks], as ND_BOARD_TICK_KIND counts it; idle time is not in it. Read once
 * for each record that is sent, since who counts cycles outside goes by these readings; and at
 * least once in 2^29 ticks. */
uint64_t nd_machine_ticks(void);

/* The same as a clock that may be read at will, 32 bits wide, in whatever is counted: in *clock. */
void nd_machine_clock(struct nd_clock *clock);

/* End the program. */
_Noreturn void nd_machine_exit(int code);

/* End the program with one line on the machine's own error channel: the way out when there is no
 * simulator to tell. */
_Noreturn void nd_machine_abandon(const char *why);

/* Fill *stack with stack number index (0 ...); ND_EOF past the last. For struct nd_memory. */
int nd_machine_stack(void *ctx, unsigned index, struct nd_stack *stack);

#endif

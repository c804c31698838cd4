/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ND_FAULT_H
#define ND_FAULT_H

/* Let a stack that runs out fault, by memory protection below it. */
void nd_fault_guard_stack(void);

/* The handler of every exception: say which and where on the console, then end the program. */
void nd_fault(void);

#endif

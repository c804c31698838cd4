/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ND_HELLO_H
#define ND_HELLO_H

/* Say the boot line on the console: who runs over which stack on which board. */
void nd_hello(const char *app, const char *stack);

#endif

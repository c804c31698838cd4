/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ND_TICKS_H
#define ND_TICKS_H

/* Start the instruction count at zero. Once, before nd_machine_ticks(). */
void nd_ticks_start(void);

#endif

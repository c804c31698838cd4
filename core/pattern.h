/* SPDX-License-Identifier: BSD-3-Clause */
/* core/pattern.h - the bytes that engines send: printable ASCII 0x20..0x7E, over and over, as ttcp
 * fills its buffers. Constant, so that a stack may send from it without a copy. */
#ifndef ND__PATTERN_H
#define ND__PATTERN_H

#include <stdint.h>

/* Values before the pattern repeats. */
#define ND__PATTERN_PERIOD 95u

/* Length [byte]: sixteen periods. From any place in the first period at least 1425 bytes lie
 * ahead, and 1520 from the first: a whole segment of an Ethernet (1460) leaves in one piece. */
#define ND__PATTERN_BYTES (16u * ND__PATTERN_PERIOD)

extern const char nd__pattern[ND__PATTERN_BYTES + 1];

#endif

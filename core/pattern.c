/* SPDX-License-Identifier: BSD-3-Clause */
#include "pattern.h"

#define PERIOD                                                                                     \
    " !\"#$%&'()*+,-./"                                                                            \
    "0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz"                 \
    "{|}~"
#define FOUR PERIOD PERIOD PERIOD PERIOD

const char nd__pattern[ND__PATTERN_BYTES + 1] = FOUR FOUR FOUR FOUR;

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ND_IMAGE_MEMORY_H
#define ND_IMAGE_MEMORY_H

#include "nd/memory.h"

/* lwIP's heap and pools, and the machine's stack. */
extern const struct nd_memory nd_image_memory;

#endif

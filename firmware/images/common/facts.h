/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ND_FACTS_H
#define ND_FACTS_H

#include "nd/agent.h"

/* The configuration fingerprint of this image. */
extern const struct nd_fact nd_facts[];
extern const uint32_t nd_fact_count;

#endif

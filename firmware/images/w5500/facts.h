/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ND_FACTS_H
#define ND_FACTS_H

#include "nd/agent.h"
#include "nd_w5500.h"
#include "options.h"

/* The configuration fingerprint of this image, run with these options. */
const struct nd_fact *nd_facts(const struct nd_options *options, const struct nd_w5500_cfg *chip,
                               uint32_t stage_bytes, uint32_t *count);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* host_facts.h - the configuration fingerprint of this machine's kernel. */
#ifndef ND_TOOL_HOST_FACTS_H
#define ND_TOOL_HOST_FACTS_H

#include "nd/agent.h"

/* The facts, read once; static. *count gets their number. */
const struct nd_fact *host_facts_read(uint32_t *count);

#endif

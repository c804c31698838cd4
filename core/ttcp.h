/* SPDX-License-Identifier: BSD-3-Clause */
/* core/ttcp.h - the UDP half of ttcp, for the file that begins tests. */
#ifndef ND__TTCP_H
#define ND__TTCP_H

#include "nd/ttcp.h"

/* Begin a test over UDP; cfg is filled in. Returns as nd_ttcp_start(). */
int nd__ttcp_start_udp(struct nd_ttcp *ttcp, struct nd_agent *agent);

#endif

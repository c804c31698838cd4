/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ND_INTERVAL_LINES_H
#define ND_INTERVAL_LINES_H

#include "nd/agent.h"
#include "nd/console.h"

/* For people at the console: while iperf's datagrams are received, a line a second in the form of a
 * W55RP20's own iperf server. Quiet while the console speaks JSON, which has the interval reports.
 */
void nd_interval_lines_start(struct nd_agent *agent, const struct nd_console *console);

#endif

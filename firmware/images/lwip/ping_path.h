/* SPDX-License-Identifier: BSD-3-Clause */
/* ping_path.h - echo requests over lwIP, for nd/ping.h. While a test listens, the interface's input
 * goes through it; otherwise it costs nothing. */
#ifndef ND_PING_PATH_H
#define ND_PING_PATH_H

#include "nd/ping.h"

extern const struct nd_ping_path nd_ping_path;

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef ND_TICKING_H
#define ND_TICKING_H

#include "picotcp.h"

/* The port, which tells when picoTCP wants a tick. */
extern struct nd_picotcp nd_image_port;

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* port.c - the table of the port. */
#include "slot.h"

const struct nd_port nd_port_bsd = ND__BSD_PORT("bsd", nd__bsd_step, ND_PORT_END_EARLY);

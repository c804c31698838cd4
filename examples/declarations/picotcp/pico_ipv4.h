/* SPDX-License-Identifier: BSD-3-Clause */
/* pico_ipv4.h - of picoTCP as much as the example needs, to compile it without. */
#ifndef PICO_IPV4_H
#define PICO_IPV4_H

#include "declared.h"

int pico_ipv4_link_add(struct pico_device *device, struct pico_ip4 address, struct pico_ip4 mask);

#endif

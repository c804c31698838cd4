/* SPDX-License-Identifier: BSD-3-Clause */
/* address.h - give an interface an IPv4 address beside those that it has, and take it back. */
#ifndef ND_SIM_TAP_ADDRESS_H
#define ND_SIM_TAP_ADDRESS_H

#include <stdint.h>

/* ip[] with a prefix of so many bits, to or from the interface with this name. 0, or an errno;
 * EEXIST: it has that address already. */
int nd__tap_address_add(const char *name, const uint8_t ip[4], unsigned bits);
int nd__tap_address_remove(const char *name, const uint8_t ip[4], unsigned bits);

#endif

/* SPDX-License-Identifier: BSD-3-Clause */
/* nd/addr.h - a transport address, and its text. */
#ifndef ND_ADDR_H
#define ND_ADDR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes that nd_addr_format() needs at most, the closing NUL included:
 * eight groups of four digits, brackets, a colon, five digits of port. */
#define ND_ADDR_TEXT_BYTES 48

/* An IP address and port number. All zero means "any address, any port". */
struct nd_addr {
    uint8_t ip[16]; /* network order; an IPv4 address fills the first four */
    uint8_t family; /* 4, 6, or 0 = any */
    uint16_t port;  /* host order; 0 = any */
};

/* Read "192.168.1.2", "192.168.1.2:5001", "[fe80::1]:5001" or "fe80::1" from len bytes of
 * text; *addr keeps its port when the text names none. Numbers only: the agent resolves no
 * names. Returns ND_OK, or ND_E_ARG with *addr unchanged. */
int nd_addr_parse(const char *text, size_t len, struct nd_addr *addr);

/* Write address and port, "192.168.1.2:5001", into text; always NUL-terminated.
 * Returns the length without the NUL. IPv6 is written in full, without "::". */
size_t nd_addr_format(const struct nd_addr *addr, char text[ND_ADDR_TEXT_BYTES]);

/* True when both name the same address and port. */
bool nd_addr_equal(const struct nd_addr *a, const struct nd_addr *b);

#ifdef __cplusplus
}
#endif
#endif

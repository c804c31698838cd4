/* SPDX-License-Identifier: BSD-3-Clause */
#include "nd/addr.h"

#include <string.h>

#include "nd/error.h"
#include "nd/fmt.h"
#include "text.h"

#define GROUPS 8u           /* of an IPv6 address, 16 bits each */
#define NO_GAP (GROUPS + 1) /* it has no "::" */

/* What is left of a text that is being read. */
struct cursor {
    const char *at;
    const char *end;
};

static bool take_char(struct cursor *in, char c) {
    if (in->at == in->end || *in->at != c) {
        return false;
    }
    in->at++;
    return true;
}

/* The value of a digit in that base, or the base itself when it is none. */
static unsigned digit_of(char c, unsigned base) {
    unsigned value = base;

    if (c >= '0' && c <= '9') {
        value = (unsigned)(c - '0');
    } else if (c >= 'a' && c <= 'f') {
        value = (unsigned)(c - 'a') + 10;
    } else if (c >= 'A' && c <= 'F') {
        value = (unsigned)(c - 'A') + 10;
    }
    return value < base ? value : base;
}

/* One to digits_max digits, all that follow; a longer run is refused. */
static bool take_number(struct cursor *in, unsigned base, unsigned digits_max, uint32_t *value) {
    unsigned digits = 0;

    *value = 0;
    while (in->at < in->end && digit_of(*in->at, base) < base) {
        *value = *value * base + digit_of(*in->at, base);
        in->at++;
        digits++;
        if (digits > digits_max) {
            return false;
        }
    }
    return digits > 0;
}

static bool take_ipv4(struct cursor *in, uint8_t ip[16]) {
    for (unsigned i = 0; i < 4; i++) {
        const char *start;
        uint32_t value;

        if (i > 0 && !take_char(in, '.')) {
            return false;
        }
        start = in->at;
        if (!take_number(in, 10, 3, &value) || value > 255) {
            return false;
        }
        /* A zero in front means octal to some readers: not guessed at. */
        if (*start == '0' && in->at - start > 1) {
            return false;
        }
        ip[i] = (uint8_t)value;
    }
    return true;
}

/* Groups up to eight, colons between them. *gap is the group before which "::" stood, or NO_GAP. */
static bool take_groups(struct cursor *in, uint8_t ip[16], unsigned *count, unsigned *gap) {
    uint32_t value;

    *count = 0;
    *gap = NO_GAP;
    for (;;) {
        if (in->end - in->at >= 2 && in->at[0] == ':' && in->at[1] == ':') {
            if (*gap != NO_GAP) {
                return false;
            }
            *gap = *count;
            in->at += 2;
            if (in->at == in->end || digit_of(*in->at, 16) == 16) {
                return true;
            }
        } else if (*count > 0 && !take_char(in, ':')) {
            return true;
        }
        if (*count == GROUPS || !take_number(in, 16, 4, &value)) {
            return false;
        }
        ip[2 * *count] = (uint8_t)(value >> 8);
        ip[2 * *count + 1] = (uint8_t)value;
        (*count)++;
    }
}

static bool take_ipv6(struct cursor *in, uint8_t ip[16]) {
    unsigned count;
    unsigned gap;
    unsigned tail;

    if (!take_groups(in, ip, &count, &gap)) {
        return false;
    }
    if (gap == NO_GAP) {
        return count == GROUPS;
    }
    if (count == GROUPS) {
        return false; /* "::" stands for one group at least */
    }
    tail = count - gap;
    memmove(&ip[2 * (GROUPS - tail)], &ip[2 * gap], 2 * tail);
    memset(&ip[2 * gap], 0, 2 * (GROUPS - count));
    return true;
}

/* ":PORT", or nothing at all. */
static bool take_port(struct cursor *in, uint16_t *port) {
    uint32_t value;

    if (!take_char(in, ':')) {
        return true;
    }
    if (!take_number(in, 10, 5, &value) || value > UINT16_MAX) {
        return false;
    }
    *port = (uint16_t)value;
    return true;
}

static bool take_addr(struct cursor *in, struct nd_addr *addr) {
    struct cursor before = *in;

    if (take_char(in, '[')) {
        addr->family = 6;
        return take_ipv6(in, addr->ip) && take_char(in, ']') && take_port(in, &addr->port);
    }
    addr->family = 4;
    if (take_ipv4(in, addr->ip)) {
        return take_port(in, &addr->port);
    }
    *in = before;
    addr->family = 6;
    return take_ipv6(in, addr->ip);
}

int nd_addr_parse(const char *text, size_t len, struct nd_addr *addr) {
    struct cursor in = {.at = text, .end = text + len};
    struct nd_addr parsed = {.port = addr->port};

    if (!take_addr(&in, &parsed) || in.at != in.end) {
        return ND_E_ARG;
    }
    *addr = parsed;
    return ND_OK;
}

static void put_ipv4(struct nd_fmt *out, const uint8_t ip[16]) {
    for (unsigned i = 0; i < 4; i++) {
        if (i > 0) {
            nd_fmt_char(out, '.');
        }
        nd_fmt_u64(out, ip[i]);
    }
}

static void put_group(struct nd_fmt *out, unsigned group) {
    static const char hex[] = "0123456789abcdef";
    unsigned shift = 12;

    while (shift > 0 && group >> shift == 0) {
        shift -= 4;
    }
    for (;; shift -= 4) {
        nd_fmt_char(out, hex[group >> shift & 15u]);
        if (shift == 0) {
            return;
        }
    }
}

static void put_ipv6(struct nd_fmt *out, const uint8_t ip[16]) {
    nd_fmt_char(out, '[');
    for (unsigned i = 0; i < GROUPS; i++) {
        if (i > 0) {
            nd_fmt_char(out, ':');
        }
        put_group(out, (unsigned)ip[2 * i] << 8 | ip[2 * i + 1]);
    }
    nd_fmt_char(out, ']');
}

size_t nd_addr_format(const struct nd_addr *addr, char text[ND_ADDR_TEXT_BYTES]) {
    struct nd_fmt out;

    nd_fmt_init(&out, text, ND_ADDR_TEXT_BYTES - 1);
    if (addr->family == 6) {
        put_ipv6(&out, addr->ip);
    } else {
        put_ipv4(&out, addr->ip); /* "any" is all zero, which is how IPv4 writes it */
    }
    nd_fmt_char(&out, ':');
    nd_fmt_u64(&out, addr->port);
    *out.at = '\0';
    return nd_fmt_length(&out);
}

bool nd_addr_equal(const struct nd_addr *a, const struct nd_addr *b) {
    size_t ip_bytes = a->family == 6 ? 16 : a->family == 4 ? 4 : 0;

    return a->family == b->family && a->port == b->port && memcmp(a->ip, b->ip, ip_bytes) == 0;
}

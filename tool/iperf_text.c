/* SPDX-License-Identifier: BSD-3-Clause */
#include "iperf_text.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char prefixes[] = {0, 'K', 'M', 'G', 'T'};

#define PREFIXES (sizeof prefixes)

/* Which prefix a format names; -1 = one that fits. */
static int prefix_of(char format) {
    static const char letters[] = "bkmg";

    for (int i = 0; letters[i] != '\0'; i++) {
        if (format == letters[i] || format == letters[i] - 'a' + 'A') {
            return i;
        }
    }
    return -1;
}

static bool is_bytes(char format) {
    return format >= 'A' && format <= 'Z';
}

bool iperf_text_format(const char *text, char *format) {
    if (text == NULL || strcmp(text, "a") == 0 || strcmp(text, "A") == 0) {
        *format = 0;
        return true;
    }
    if (text[0] == '\0' || text[1] != '\0' || prefix_of(text[0]) < 0) {
        return false;
    }
    *format = text[0];
    return true;
}

/* Three digits that count; whole units are exact. */
static void print_scaled(double value, int prefix, const char *unit, char *text) {
    int chosen = prefix >= 0 ? prefix : 0;

    for (int i = 0; i < chosen; i++) {
        value /= 1000;
    }
    while (prefix < 0 && value >= 999.5 && chosen + 1 < (int)PREFIXES) {
        value /= 1000;
        chosen++;
    }
    int decimals = chosen == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
    char letter[2] = {prefixes[chosen], '\0'};
    snprintf(text, IPERF_TEXT_BYTES, "%4.*f %s%s", decimals, value, letter, unit);
}

const char *iperf_text_amount(char format, uint64_t bytes, char text[IPERF_TEXT_BYTES]) {
    print_scaled((double)bytes, prefix_of(format), "Bytes", text);
    return text;
}

const char *iperf_text_bit_s(char format, double bit_s, char text[IPERF_TEXT_BYTES]) {
    if (is_bytes(format)) {
        print_scaled(bit_s / 8, prefix_of(format), "Bytes/sec", text);
    } else {
        print_scaled(bit_s, prefix_of(format), "bits/sec", text);
    }
    return text;
}

const char *iperf_text_rate(char format, uint64_t bytes, uint64_t ns, char text[IPERF_TEXT_BYTES]) {
    if (ns == 0) {
        snprintf(text, IPERF_TEXT_BYTES, " n/a %s", is_bytes(format) ? "Bytes/sec" : "bits/sec");
        return text;
    }
    return iperf_text_bit_s(format, (double)bytes * 8e9 / (double)ns, text);
}

const char *iperf_text_jitter(int64_t jitter_ns, char text[IPERF_TEXT_BYTES]) {
    if (jitter_ns < 0) {
        snprintf(text, IPERF_TEXT_BYTES, "  n/a ms");
    } else {
        snprintf(text, IPERF_TEXT_BYTES, "%5.3f ms", (double)jitter_ns / 1e6);
    }
    return text;
}

const char *iperf_text_loss(uint64_t lost, uint64_t expected, char text[IPERF_TEXT_BYTES]) {
    snprintf(text, IPERF_TEXT_BYTES, "%" PRIu64 "/%" PRIu64 " (%.3g%%)", lost, expected,
             expected > 0 ? (double)lost * 100 / (double)expected : 0.0);
    return text;
}

const char *iperf_text_end(const struct nd_addr *addr, char text[IPERF_TEXT_BYTES]) {
    char name[INET6_ADDRSTRLEN] = "0.0.0.0"; /* any address */

    if (addr->family != 0) {
        inet_ntop(addr->family == 6 ? AF_INET6 : AF_INET, addr->ip, name, sizeof name);
    }
    snprintf(text, IPERF_TEXT_BYTES, "%s port %u", name, addr->port);
    return text;
}

static void add_count(char *text, unsigned text_bytes, const char *name, uint64_t count) {
    size_t used = strlen(text);

    if (count > 0) {
        snprintf(text + used, text_bytes - used, "  %s %" PRIu64, name, count);
    }
}

void iperf_text_more(char format, const struct nd_sequence *figures, uint64_t ns, char *text,
                     unsigned text_bytes) {
    int64_t offered = nd_sequence_offered_bit_s(figures);
    char rate[IPERF_TEXT_BYTES];

    text[0] = '\0';
    if (offered >= 0) {
        snprintf(text, text_bytes, "  offered %s", iperf_text_bit_s(format, (double)offered, rate));
    }
    if (ns > 0) {
        size_t used = strlen(text);
        snprintf(text + used, text_bytes - used, "  %.0f pps",
                 (double)figures->datagrams * 1e9 / (double)ns);
    }
    add_count(text, text_bytes, "recovered", figures->recovered);
    add_count(text, text_bytes, "duplicates", figures->duplicates);
    add_count(text, text_bytes, "reordered", figures->reordered);
    add_count(text, text_bytes, "late", figures->late);
}

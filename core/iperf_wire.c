/* SPDX-License-Identifier: BSD-3-Clause */
#include "iperf_wire.h"

#include <string.h>

#include "bytes.h"

/* The release whose layouts these are: 2.1.8. */
#define VERSION_MAJOR 0x00020001u
#define VERSION_REST  0x00080003u

#define ANSWER_TYPE 2u

/* In the first word of a header: its length, doubled, and bits that no release uses. */
#define FLAGS_LENGTH 0x000001FEu
#define FLAGS_NONE   0x0000FE00u

/* ---- the header of a test ------------------------------------------------------------ */

void nd__iperf_put_header(uint8_t bytes[ND__IPERF_HEADER_BYTES],
                          const struct nd__iperf_header *header, uint32_t before) {
    uint32_t length = (ND__IPERF_HEADER_BYTES + before) << 1;

    memset(bytes, 0, ND__IPERF_HEADER_BYTES);
    nd__bytes_put_u32(bytes, header->flags | ND__IPERF_LENGTH_VALID | length);
    nd__bytes_put_u32(bytes + 4, header->threads);
    nd__bytes_put_u32(bytes + 8, header->port);
    nd__bytes_put_u32(bytes + 12, header->len);
    nd__bytes_put_u32(bytes + 20, (uint32_t)header->amount);
    nd__bytes_put_u16(bytes + 32, header->upper);
    nd__bytes_put_u32(bytes + 36, VERSION_MAJOR);
    nd__bytes_put_u32(bytes + 40, VERSION_REST);
    nd__bytes_put_u32(bytes + 48, (uint32_t)header->rate);
    nd__bytes_put_u32(bytes + 52, (uint32_t)(header->rate >> 32) << 8);
}

void nd__iperf_put_answer(uint8_t bytes[ND__IPERF_ANSWER_BYTES]) {
    memset(bytes, 0, ND__IPERF_ANSWER_BYTES);
    nd__bytes_put_u32(bytes, ANSWER_TYPE);
    nd__bytes_put_u32(bytes + 4, ND__IPERF_ANSWER_BYTES);
    nd__bytes_put_u32(bytes + 12, VERSION_MAJOR);
    nd__bytes_put_u32(bytes + 16, VERSION_REST);
}

bool nd__iperf_wants_answer(const struct nd__iperf_header *header) {
    uint32_t flags = header->flags;

    return (flags & ND__IPERF_ASK_VERSION) != 0 ||
           ((flags & ND__IPERF_EXTENDED) != 0 && (flags & ND__IPERF_V2) == 0);
}

/* The old header is the beginning of the new one; what is not there is 0. */
static void read_header(const uint8_t *bytes, uint32_t have, struct nd__iperf_header *header) {
    *header = (struct nd__iperf_header){
        .flags = nd__bytes_u32(bytes),
        .threads = nd__bytes_u32(bytes + 4),
        .port = nd__bytes_u32(bytes + 8),
        .len = nd__bytes_u32(bytes + 12),
        .amount = (int32_t)nd__bytes_u32(bytes + 20),
    };
    if ((header->flags & ND__IPERF_EXTENDED) != 0 && have >= ND__IPERF_HEADER_BYTES) {
        header->upper = nd__bytes_u16(bytes + 32);
        header->rate = (uint64_t)(nd__bytes_u32(bytes + 52) >> 8) << 32 | nd__bytes_u32(bytes + 48);
    }
}

/* What the flags say of the length; 0 = no iperf wrote them. Text, which many a stray caller sends,
 * has bits where flags have none. */
static uint32_t header_length(uint32_t flags) {
    uint32_t length = (flags & FLAGS_LENGTH) >> 1;

    if ((flags & (ND__IPERF_BACK | ND__IPERF_EXTENDED)) == 0 || (flags & FLAGS_NONE) != 0) {
        return 0;
    }
    if ((flags & ND__IPERF_LENGTH_VALID) == 0) {
        return length == 0 ? ND__IPERF_OLD_BYTES : 0;
    }
    return length >= ND__IPERF_HEADER_BYTES ? ND__IPERF_HEADER_BYTES : 0;
}

/* How many of the first bytes belong to an iperf 3 cookie: 36 of a-z and 2-7, then NUL. */
static uint32_t cookie_length(const uint8_t *bytes, uint32_t have) {
    uint32_t n = 0;

    while (n < have && n < ND__IPERF_COOKIE_BYTES - 1 &&
           ((bytes[n] >= 'a' && bytes[n] <= 'z') || (bytes[n] >= '2' && bytes[n] <= '7'))) {
        n++;
    }
    if (n == ND__IPERF_COOKIE_BYTES - 1 && have > n && bytes[n] == 0) {
        n++;
    }
    return n;
}

/* A header says by its flags how long it is. Data without one begins with "0123", or anything. */
enum nd__iperf_opening nd__iperf_read_opening(const uint8_t *bytes, uint32_t have,
                                              struct nd__iperf_header *header) {
    uint32_t cookie = cookie_length(bytes, have);

    if (cookie == ND__IPERF_COOKIE_BYTES) {
        return ND__IPERF_IPERF3;
    }
    if ((cookie == have && have < ND__IPERF_COOKIE_BYTES) || have < 4) {
        return ND__IPERF_MORE;
    }
    uint32_t flags = nd__bytes_u32(bytes);
    if (flags == ND__IPERF_BOUNCEBACK) {
        return ND__IPERF_BOUNCING;
    }
    uint32_t need = header_length(flags);
    if (cookie >= 4 || need == 0) {
        return ND__IPERF_RAW;
    }
    if (have < need) {
        return ND__IPERF_MORE;
    }
    read_header(bytes, need, header);
    return ND__IPERF_HEADER;
}

/* ---- datagrams ----------------------------------------------------------------------- */

void nd__iperf_put_datagram(uint8_t bytes[ND__IPERF_DATAGRAM_BYTES], uint64_t id, bool end,
                            uint32_t s, uint32_t us) {
    uint64_t number = end ? (uint64_t)0 - id : id;

    nd__bytes_put_u32(bytes, (uint32_t)number);
    nd__bytes_put_u32(bytes + 4, s);
    nd__bytes_put_u32(bytes + 8, us);
    nd__bytes_put_u32(bytes + 12, (uint32_t)(number >> 32));
}

/* The header, if there is one: at 16 with its flag in every release that has it there, at 12 from
 * an older one that wants a test back. */
void nd__iperf_read_first(const uint8_t *bytes, uint32_t len, struct nd__iperf_first *first) {
    const uint8_t *at = bytes + ND__IPERF_DATAGRAM_BYTES;

    *first = (struct nd__iperf_first){0};
    if (len >= ND__IPERF_DATAGRAM_BYTES + ND__IPERF_OLD_BYTES &&
        (nd__bytes_u32(at) & ND__IPERF_EXTENDED) != 0 && header_length(nd__bytes_u32(at)) != 0) {
        first->headed = true;
        first->modern = true;
        first->wide = (nd__bytes_u32(at) & ND__IPERF_WIDE_ID) != 0;
        read_header(at, len - ND__IPERF_DATAGRAM_BYTES, &first->header);
        return;
    }
    at = bytes + ND__IPERF_BARE_BYTES;
    if (len >= ND__IPERF_BARE_BYTES + ND__IPERF_OLD_BYTES &&
        (nd__bytes_u32(at) & ~ND__IPERF_NOW) == ND__IPERF_BACK) {
        first->headed = true;
        read_header(at, len - ND__IPERF_BARE_BYTES, &first->header);
    }
}

/* The last datagram has its number negated. In 64 bits the high half then is all ones, which
 * nothing else is; in 32 bits the sign is all there is. */
static void read_id(const uint8_t *bytes, uint32_t len, bool wide,
                    struct nd__iperf_datagram *datagram) {
    uint32_t low = nd__bytes_u32(bytes);
    uint32_t high = len >= ND__IPERF_DATAGRAM_BYTES ? nd__bytes_u32(bytes + 12) : 0;

    if (wide) {
        datagram->end = high >> 31 != 0;
        datagram->id = (uint64_t)high << 32 | low;
    } else {
        datagram->end = low >> 31 != 0;
        datagram->modern = datagram->end && high == UINT32_MAX;
        datagram->id = datagram->end ? (uint64_t)UINT32_MAX << 32 | low : low;
    }
    if (datagram->end) {
        datagram->id = (uint64_t)0 - datagram->id;
    }
}

bool nd__iperf_read_datagram(const uint8_t *bytes, uint32_t len, bool wide,
                             struct nd__iperf_datagram *datagram) {
    *datagram = (struct nd__iperf_datagram){0};
    if (len < 4) {
        return false;
    }
    read_id(bytes, len, wide, datagram);
    if (len >= ND__IPERF_BARE_BYTES) {
        datagram->s = nd__bytes_u32(bytes + 4);
        datagram->us = nd__bytes_u32(bytes + 8);
    }
    return datagram->id >> 63 == 0;
}

/* ---- the server's report ------------------------------------------------------------- */

#define REPORT_MODERN 16u /* where the ten words begin */
#define REPORT_OLD    12u

#define REPORT_VALID 0x80000000u

static uint64_t read_s_us(const uint8_t *at) {
    return (uint64_t)nd__bytes_u32(at) * 1000000u + nd__bytes_u32(at + 4);
}

static void put_s_us(uint8_t *at, uint64_t us) {
    nd__bytes_put_u32(at, (uint32_t)(us / 1000000u));
    nd__bytes_put_u32(at + 4, (uint32_t)(us % 1000000u));
}

static void put_words(uint8_t *at, const struct nd__iperf_report *report, uint32_t flags) {
    nd__bytes_put_u32(at, flags);
    nd__bytes_put_u32(at + 4, (uint32_t)(report->bytes >> 32));
    nd__bytes_put_u32(at + 8, (uint32_t)report->bytes);
    put_s_us(at + 12, report->us);
    nd__bytes_put_u32(at + 20, (uint32_t)report->lost);
    nd__bytes_put_u32(at + 24, (uint32_t)report->reordered);
    nd__bytes_put_u32(at + 28, (uint32_t)report->datagrams);
    put_s_us(at + 32, report->jitter_us);
}

uint32_t nd__iperf_put_report(uint8_t bytes[ND__IPERF_REPORT_BYTES],
                              const struct nd__iperf_report *report, bool modern) {
    memset(bytes, 0, ND__IPERF_REPORT_BYTES);
    if (!modern) {
        put_words(bytes + REPORT_OLD, report, REPORT_VALID);
        return ND__IPERF_OLD_REPORT_BYTES;
    }
    put_words(bytes + REPORT_MODERN, report, REPORT_VALID | ND__IPERF_WIDE_ID);
    nd__bytes_put_u32(bytes + 116, (uint32_t)(report->lost >> 32));
    nd__bytes_put_u32(bytes + 120, (uint32_t)(report->reordered >> 32));
    nd__bytes_put_u32(bytes + 124, (uint32_t)(report->datagrams >> 32));
    return ND__IPERF_REPORT_BYTES;
}

static void read_words(const uint8_t *at, struct nd__iperf_report *report) {
    *report = (struct nd__iperf_report){
        .bytes = (uint64_t)nd__bytes_u32(at + 4) << 32 | nd__bytes_u32(at + 8),
        .us = read_s_us(at + 12),
        .lost = nd__bytes_u32(at + 20),
        .reordered = nd__bytes_u32(at + 24),
        .datagrams = nd__bytes_u32(at + 28),
        .jitter_us = read_s_us(at + 32),
    };
}

bool nd__iperf_read_report(const uint8_t *bytes, uint32_t len, struct nd__iperf_report *report) {
    if (len >= REPORT_MODERN + 40 && (nd__bytes_u32(bytes + REPORT_MODERN) & REPORT_VALID) != 0) {
        read_words(bytes + REPORT_MODERN, report);
        if (len >= ND__IPERF_REPORT_BYTES &&
            (nd__bytes_u32(bytes + REPORT_MODERN) & ND__IPERF_WIDE_ID) != 0) {
            report->lost |= (uint64_t)nd__bytes_u32(bytes + 116) << 32;
            report->reordered |= (uint64_t)nd__bytes_u32(bytes + 120) << 32;
            report->datagrams |= (uint64_t)nd__bytes_u32(bytes + 124) << 32;
        }
        return true;
    }
    if (len >= REPORT_OLD + 40 && nd__bytes_u32(bytes + REPORT_OLD) == REPORT_VALID) {
        read_words(bytes + REPORT_OLD, report);
        return true;
    }
    return false;
}

/* SPDX-License-Identifier: BSD-3-Clause */
/* core/iperf_wire.h - the bytes of iperf 2 (2.0.x and 2.1.x), packed and read; nothing else.
 *
 * Every integer is big-endian. Readers take any bytes of any length. */
#ifndef ND__IPERF_WIRE_H
#define ND__IPERF_WIRE_H

#include <stdbool.h>
#include <stdint.h>

/* ---- the header of a test ------------------------------------------------------------ */

#define ND__IPERF_HEADER_BYTES 60u /* as of 2.1 */
#define ND__IPERF_OLD_BYTES    24u /* as of 2.0 */
#define ND__IPERF_ANSWER_BYTES 28u /* the server's version, on TCP */
#define ND__IPERF_COOKIE_BYTES 37u /* how an iperf 3 client begins */

/* Flags of the first word. */
#define ND__IPERF_BACK         0x80000000u /* the server is to test back */
#define ND__IPERF_EXTENDED     0x40000000u /* the header is longer than the old one */
#define ND__IPERF_UDP_TESTS    0x20000000u
#define ND__IPERF_WIDE_ID      0x08000000u /* datagram ids of 64 bits */
#define ND__IPERF_V2           0x04000000u
#define ND__IPERF_ASK_VERSION  0x02000000u
#define ND__IPERF_BOUNCEBACK   0x00800000u
#define ND__IPERF_LENGTH_VALID 0x00010000u /* bits 1-8: twice the length of the header */
#define ND__IPERF_NOW          0x00000001u /* test back now, not afterwards */

/* Upper flags. */
#define ND__IPERF_RATE    0x0100u
#define ND__IPERF_REVERSE 0x0400u /* the server sends */
#define ND__IPERF_DUPLEX  0x0800u /* both send on the same connection */

struct nd__iperf_header {
    uint32_t flags;
    uint32_t threads; /* parallel connections of this client */
    uint32_t port;    /* where it listens for a test back */
    uint32_t len;     /* bytes per write or datagram [byte]; 0 = not given */
    int32_t amount;   /* [byte], or if negative [-10 ms] */
    uint16_t upper;
    uint64_t rate; /* [bit/s]; 0 = not given */
};

/* Write the header of 60 bytes; the length is entered in its flags, with `before` bytes that stand
 * in front of it in a datagram. */
void nd__iperf_put_header(uint8_t bytes[ND__IPERF_HEADER_BYTES],
                          const struct nd__iperf_header *header, uint32_t before);

/* Write the server's answer to a header. */
void nd__iperf_put_answer(uint8_t bytes[ND__IPERF_ANSWER_BYTES]);

/* Does a server answer this header on TCP? */
bool nd__iperf_wants_answer(const struct nd__iperf_header *header);

/* What the first bytes of a TCP connection are. */
enum nd__iperf_opening {
    ND__IPERF_MORE,     /* too few to tell */
    ND__IPERF_RAW,      /* no header: all of it is data */
    ND__IPERF_HEADER,   /* *header is filled in */
    ND__IPERF_IPERF3,   /* the cookie of an iperf 3 client */
    ND__IPERF_BOUNCING, /* a bounceback test of iperf 2 */
};
enum nd__iperf_opening nd__iperf_read_opening(const uint8_t *bytes, uint32_t have,
                                              struct nd__iperf_header *header);

/* ---- datagrams ----------------------------------------------------------------------- */

#define ND__IPERF_DATAGRAM_BYTES 16u /* id, time, high half of the id */
#define ND__IPERF_BARE_BYTES     12u /* the same before 2.1: the id has 32 bits */

struct nd__iperf_datagram {
    uint64_t id;
    uint32_t s; /* the sender's time; both 0 when it gives none */
    uint32_t us;
    bool end;    /* the last one, id is its number */
    bool modern; /* its end shows a sender that reads a report at offset 16 */
};

/* What the first datagram of a peer tells. */
struct nd__iperf_first {
    bool headed; /* *header is filled in */
    bool modern; /* the sender reads a report at offset 16 */
    bool wide;   /* ids have 64 bits, else 32 and a sign */
    struct nd__iperf_header header;
};

/* Write id and time of a datagram with 64-bit ids; end makes it the last one. */
void nd__iperf_put_datagram(uint8_t bytes[ND__IPERF_DATAGRAM_BYTES], uint64_t id, bool end,
                            uint32_t s, uint32_t us);

/* Read what only the first datagram is asked for. */
void nd__iperf_read_first(const uint8_t *bytes, uint32_t len, struct nd__iperf_first *first);

/* Read a datagram of len bytes with ids of 64 or 32 bits. False when it is too short to have an id
 * (4 bytes), or the id is no number of 63 bits. */
bool nd__iperf_read_datagram(const uint8_t *bytes, uint32_t len, bool wide,
                             struct nd__iperf_datagram *datagram);

/* ---- the server's report on a UDP test ----------------------------------------------- */

#define ND__IPERF_REPORT_BYTES     128u /* as of 2.1 */
#define ND__IPERF_OLD_REPORT_BYTES 52u  /* as of 2.0 */

struct nd__iperf_report {
    uint64_t bytes; /* received [byte] */
    uint64_t us;    /* first to last [us] */
    uint64_t lost;
    uint64_t reordered;
    uint64_t datagrams; /* sent, as the ids tell, the end included */
    uint64_t jitter_us;
};

/* Write a report, as of 2.1 or older. Returns its length [byte]. */
uint32_t nd__iperf_put_report(uint8_t bytes[ND__IPERF_REPORT_BYTES],
                              const struct nd__iperf_report *report, bool modern);

/* Read a report in either layout. False when it is none. */
bool nd__iperf_read_report(const uint8_t *bytes, uint32_t len, struct nd__iperf_report *report);

#endif

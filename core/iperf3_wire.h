/* SPDX-License-Identifier: BSD-3-Clause */
/* core/iperf3_wire.h - iperf 3 as bytes: cookie, words, parameters, results, datagrams.
 *
 * Pure: no connection, no clock. What comes from the network is read here and nowhere else. */
#ifndef ND__IPERF3_WIRE_H
#define ND__IPERF3_WIRE_H

#include "bytes.h"
#include "nd/fmt.h"
#include "nd/iperf3.h"

/* What the control channel says; one signed byte each. */
enum nd__iperf3_word {
    ND__IPERF3_START = 1,
    ND__IPERF3_RUNNING = 2,
    ND__IPERF3_END = 4, /* from the client, whoever sends */
    ND__IPERF3_PARAMS = 9,
    ND__IPERF3_STREAMS = 10,
    ND__IPERF3_SERVER_TERMINATE = 11,
    ND__IPERF3_CLIENT_TERMINATE = 12,
    ND__IPERF3_RESULTS = 13,
    ND__IPERF3_DISPLAY = 14,
    ND__IPERF3_DONE = 16,
    ND__IPERF3_DENIED = -1, /* busy, or a wrong cookie */
    ND__IPERF3_ERROR = -2   /* two 32-bit numbers follow: iperf3's error and errno */
};

/* iperf3's errors, as its server would send them. */
enum nd__iperf3_error {
    ND__IPERF3_E_NONE = 0,
    ND__IPERF3_E_DURATION = 5,
    ND__IPERF3_E_STREAMS = 6,
    ND__IPERF3_E_BLOCK = 7,
    ND__IPERF3_E_OMIT = 12,
    ND__IPERF3_E_UNIMPLEMENTED = 13,
    ND__IPERF3_E_UDP_BLOCK = 20,
    ND__IPERF3_E_RATE = 27,
    ND__IPERF3_E_PARAMS = 114, /* they cannot be read */
    ND__IPERF3_E_LISTEN = 102
};

/* The text of such an error for whoever sees only its number; static, never NULL. */
const char *nd__iperf3_error_text(int32_t error);

/* Most bytes of parameters and of results that are read. Nothing of them is kept, so the second
 * only bounds the time; a server's output comes with it. */
#define ND__IPERF3_PARAMS_MAX  8192u
#define ND__IPERF3_RESULTS_MAX (1u << 20)

/* Longest block, and shortest datagram [byte]: as iperf3. */
#define ND__IPERF3_BLOCK_MAX    (1u << 20)
#define ND__IPERF3_DATAGRAM_MIN 16u

/* Streams in both directions together. */
uint32_t nd__iperf3_stream_total(const struct nd_iperf3_params *params);

/* The identity of the stream at this place: 1, 3, 4, 5 ... */
uint32_t nd__iperf3_stream_id(uint32_t place);

/* A cookie from a number that is nobody else's. */
void nd__iperf3_make_cookie(char cookie[ND_IPERF3_COOKIE_BYTES], uint64_t seed);

/* False when the first `count` bytes begin no cookie: printable characters, NUL at the end. */
bool nd__iperf3_is_cookie(const char *cookie, uint32_t count);

/* ---- JSON -------------------------------------------------------------------------- */

/* Parameters as they are when a client does not name them. */
void nd__iperf3_default_params(struct nd_iperf3_params *params);

/* Take one item of a client's parameters; what we do not know or need is passed by. */
void nd__iperf3_read_param(struct nd_iperf3_params *params, const struct nd_json_item *item);

void nd__iperf3_write_params(struct nd_fmt *out, const struct nd_iperf3_params *params);

/* Take one item of the results. True when reading->stream is complete. */
bool nd__iperf3_read_result(struct nd_iperf3_reading *reading, const struct nd_json_item *item);

/* Our results before the list of streams. */
struct nd__iperf3_head {
    bool sends;
    int64_t cpu_permille; /* busy share; below 0 = not known */
    bool output;          /* append the text that --get-server-output asks for */
    const char *port;     /* for that text, the stack */
    uint64_t rx_bytes;
    uint64_t tx_bytes;
    uint64_t duration_us;
};

void nd__iperf3_write_head(struct nd_fmt *out, const struct nd__iperf3_head *head);
void nd__iperf3_write_result(struct nd_fmt *out, const struct nd_iperf3_result *result,
                             uint64_t duration_us, bool first);
void nd__iperf3_write_tail(struct nd_fmt *out);

/* ---- datagrams --------------------------------------------------------------------- */

/* The set-up: the client sends the first four bytes, the server answers with the others. */
#define ND__IPERF3_HELLO_BYTES 4u
extern const uint8_t nd__iperf3_hello[ND__IPERF3_HELLO_BYTES];
extern const uint8_t nd__iperf3_welcome[ND__IPERF3_HELLO_BYTES];

/* A server's answer to the set-up, that of older releases and of devices included. */
bool nd__iperf3_is_welcome(const uint8_t *bytes, uint32_t len);

/* In front of every datagram. */
struct nd__iperf3_stamp {
    uint32_t s;
    uint32_t us;
    uint64_t id; /* from 1; its low 32 bits unless the test counts with 64 */
};

/* Bytes of it: 12 or 16. */
static inline uint32_t nd__iperf3_stamp_bytes(bool counters_64bit) {
    return counters_64bit ? 16 : 12;
}

static inline void nd__iperf3_put_stamp(uint8_t *bytes, const struct nd__iperf3_stamp *stamp,
                                        bool counters_64bit) {
    nd__bytes_put_u32(bytes, stamp->s);
    nd__bytes_put_u32(bytes + 4, stamp->us);
    if (counters_64bit) {
        nd__bytes_put_u32(bytes + 8, (uint32_t)(stamp->id >> 32));
        bytes += 4;
    }
    nd__bytes_put_u32(bytes + 8, (uint32_t)stamp->id);
}

static inline void nd__iperf3_get_stamp(const uint8_t *bytes, struct nd__iperf3_stamp *stamp,
                                        bool counters_64bit) {
    stamp->s = nd__bytes_u32(bytes);
    stamp->us = nd__bytes_u32(bytes + 4);
    stamp->id = nd__bytes_u32(bytes + 8);
    if (counters_64bit) {
        stamp->id = stamp->id << 32 | nd__bytes_u32(bytes + 12);
    }
}

#endif

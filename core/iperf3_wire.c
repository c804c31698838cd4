/* SPDX-License-Identifier: BSD-3-Clause */
#include "iperf3_wire.h"

#include "text.h"

/* ---- errors ------------------------------------------------------------------------ */

const char *nd__iperf3_error_text(int32_t error) {
    switch (error) {
    case ND__IPERF3_E_DURATION:
        return "the server allows no test so long";
    case ND__IPERF3_E_STREAMS:
        return "the server has not so many streams";
    case ND__IPERF3_E_BLOCK:
        return "the server takes no block of this length";
    case ND__IPERF3_E_OMIT:
        return "the server omits no time so long";
    case ND__IPERF3_E_UNIMPLEMENTED:
        return "the server does not offer this kind of test";
    case ND__IPERF3_E_UDP_BLOCK:
        return "the server sends no datagram so long";
    case ND__IPERF3_E_RATE:
        return "the server allows no rate so high";
    default:
        return "the server could not; cause is iperf3's own number for the reason";
    }
}

/* ---- streams and cookie ------------------------------------------------------------ */

uint32_t nd__iperf3_stream_total(const struct nd_iperf3_params *params) {
    return params->bidir ? 2 * params->parallel : params->parallel;
}

uint32_t nd__iperf3_stream_id(uint32_t place) {
    return place == 0 ? 1 : place + 2;
}

void nd__iperf3_make_cookie(char cookie[ND_IPERF3_COOKIE_BYTES], uint64_t seed) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";
    uint64_t bits = 0;

    for (unsigned i = 0; i < ND_IPERF3_COOKIE_BYTES - 1; i++) {
        if (i % 12 == 0) { /* SplitMix64 (Steele, Lea and Flood, 2014); 60 bits are 12 letters */
            seed += 0x9E3779B97F4A7C15u;
            bits = (seed ^ seed >> 30) * 0xBF58476D1CE4E5B9u;
            bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
            bits ^= bits >> 31;
        }
        cookie[i] = letters[bits & 31];
        bits >>= 5;
    }
    cookie[ND_IPERF3_COOKIE_BYTES - 1] = '\0';
}

bool nd__iperf3_is_cookie(const char *cookie, uint32_t count) {
    uint32_t length = 0;

    while (length < count && cookie[length] > ' ' && cookie[length] < 0x7F) {
        length++;
    }
    /* A short one of an older release is followed by whatever lay in its memory. */
    if (length < count && (length == 0 || cookie[length] != '\0')) {
        return false;
    }
    return count < ND_IPERF3_COOKIE_BYTES || cookie[ND_IPERF3_COOKIE_BYTES - 1] == '\0';
}

/* ---- parameters -------------------------------------------------------------------- */

enum type { BIG, SMALL, FLAG };

/* What the wire calls a parameter, and where it goes. */
struct param {
    const char *key;
    enum type type;
    bool needed; /* every server asks for it, even when it is 0 */
    size_t at;
};

#define PARAM(KEY, TYPE, NEEDED, MEMBER)                                                           \
    { KEY, TYPE, NEEDED, offsetof(struct nd_iperf3_params, MEMBER) }

/* In the order of writing. */
static const struct param params_table[] = {
    PARAM("udp", FLAG, false, udp),
    PARAM("omit", SMALL, true, omit_s),
    PARAM("time", SMALL, true, time_s),
    PARAM("num", BIG, true, bytes),
    PARAM("blockcount", BIG, true, blocks),
    PARAM("parallel", SMALL, true, parallel),
    PARAM("reverse", FLAG, false, reverse),
    PARAM("bidirectional", FLAG, false, bidir),
    PARAM("len", SMALL, true, length),
    PARAM("bandwidth", BIG, false, rate_bit_s),
    PARAM("burst", SMALL, false, burst),
    PARAM("get_server_output", FLAG, false, server_output),
    PARAM("udp_counters_64bit", FLAG, false, counters_64bit),
    PARAM("sctp", FLAG, false, sctp),
};

#define PARAM_COUNT (sizeof params_table / sizeof params_table[0])

void nd__iperf3_default_params(struct nd_iperf3_params *params) {
    *params = (struct nd_iperf3_params){.parallel = 1, .length = ND_IPERF3_BLOCK_BYTES};
}

/* A flag is set by its presence, unless it is false, as older servers read it. */
static bool item_flag(const struct nd_json_item *item) {
    return item->kind != ND_JSON_FALSE && item->kind != ND_JSON_NULL &&
           (item->kind != ND_JSON_NUMBER || item->digits != 0);
}

static void store(void *at, enum type type, const struct nd_json_item *item) {
    uint64_t number = item->negative ? 0 : nd_json_scan_scaled(item, 0);

    switch (type) {
    case FLAG:
        *(bool *)at = item_flag(item);
        break;
    case SMALL:
        *(uint32_t *)at = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
        break;
    default:
        *(uint64_t *)at = number;
        break;
    }
}

void nd__iperf3_read_param(struct nd_iperf3_params *params, const struct nd_json_item *item) {
    if (item->depth != 1 || item->kind == ND_JSON_OBJECT || item->kind == ND_JSON_ARRAY) {
        return;
    }
    for (unsigned i = 0; i < PARAM_COUNT; i++) {
        const struct param *param = &params_table[i];
        if (nd__text_equal(item->key, param->key)) {
            if (param->type == FLAG || item->kind == ND_JSON_NUMBER) {
                store((char *)params + param->at, param->type, item);
            }
            return;
        }
    }
}

/* iperf3 before 3.7 knows a flag by its presence alone, so one that is off is left out; and so is a
 * number that says nothing. */
static void write_param(struct nd_fmt *out, const struct nd_iperf3_params *params,
                        const struct param *param) {
    const void *at = (const char *)params + param->at;

    if (param->type == FLAG) {
        if (*(const bool *)at) {
            nd_json_bool(out, param->key, true);
        }
        return;
    }
    uint64_t number = param->type == BIG ? *(const uint64_t *)at : *(const uint32_t *)at;
    if (number > 0 || param->needed) {
        nd_json_u64(out, param->key, number);
    }
}

void nd__iperf3_write_params(struct nd_fmt *out, const struct nd_iperf3_params *params) {
    nd_json_open(out);
    if (!params->udp) {
        nd_json_bool(out, "tcp", true);
    }
    for (unsigned i = 0; i < PARAM_COUNT; i++) {
        write_param(out, params, &params_table[i]);
    }
    nd_json_text(out, "client_version", "netdyno");
    nd_json_close(out);
}

/* ---- results ----------------------------------------------------------------------- */

static void read_figure(struct nd_iperf3_result *stream, const struct nd_json_item *item) {
    const char *key = item->key;

    if (nd__text_equal(key, "id")) {
        uint64_t id = nd_json_scan_scaled(item, 0);
        stream->id = id < UINT32_MAX && !item->negative ? (uint32_t)id : 0;
    } else if (nd__text_equal(key, "bytes")) {
        stream->bytes = nd_json_scan_signed(item);
    } else if (nd__text_equal(key, "jitter")) {
        stream->jitter_ns = item->negative ? 0 : nd_json_scan_scaled(item, 9);
    } else if (nd__text_equal(key, "errors")) {
        stream->errors = nd_json_scan_signed(item);
    } else if (nd__text_equal(key, "packets")) {
        stream->packets = nd_json_scan_signed(item);
    } else if (nd__text_equal(key, "omitted_errors")) {
        stream->omitted_errors = nd_json_scan_signed(item);
    } else if (nd__text_equal(key, "omitted_packets")) {
        stream->omitted_packets = nd_json_scan_signed(item);
    }
}

bool nd__iperf3_read_result(struct nd_iperf3_reading *reading, const struct nd_json_item *item) {
    if (item->depth == 1) {
        reading->in_streams = item->kind == ND_JSON_ARRAY && nd__text_equal(item->key, "streams");
    }
    if (!reading->in_streams) {
        return false;
    }
    if (item->depth == 2 && item->kind == ND_JSON_OBJECT) {
        reading->stream = (struct nd_iperf3_result){0};
    }
    if (item->depth == 3 && item->kind == ND_JSON_NUMBER) {
        read_figure(&reading->stream, item);
    }
    return item->depth == 2 && item->kind == ND_JSON_CLOSE && reading->stream.id != 0;
}

static void member(struct nd_fmt *out, const char *key) {
    nd_fmt_text(out, ",\"");
    nd_fmt_text(out, key);
    nd_fmt_text(out, "\":");
}

static void write_output(struct nd_fmt *out, const struct nd__iperf3_head *head) {
    member(out, "server_output_text");
    nd_fmt_text(out, "\"netdyno on ");
    nd_fmt_text(out, head->port);
    nd_fmt_text(out, ": received ");
    nd_fmt_u64(out, head->rx_bytes);
    nd_fmt_text(out, " bytes, sent ");
    nd_fmt_u64(out, head->tx_bytes);
    nd_fmt_text(out, " bytes in ");
    nd_fmt_fixed(out, head->duration_us, 6);
    nd_fmt_text(out, " s\\n\"");
}

/* A peer asks for all three shares and gives up without them, so the unknown ones are -1 here. */
void nd__iperf3_write_head(struct nd_fmt *out, const struct nd__iperf3_head *head) {
    nd_fmt_text(out, "{\"cpu_util_total\":");
    if (head->cpu_permille < 0) {
        nd_fmt_text(out, "-1");
    } else {
        nd_fmt_fixed(out, (uint64_t)head->cpu_permille, 1);
    }
    nd_json_i64(out, "cpu_util_user", -1);
    nd_json_i64(out, "cpu_util_system", -1);
    nd_json_i64(out, "sender_has_retransmits", head->sends ? 0 : -1);
    if (head->output) {
        write_output(out, head);
    }
    member(out, "streams");
    nd_fmt_char(out, '[');
}

void nd__iperf3_write_result(struct nd_fmt *out, const struct nd_iperf3_result *result,
                             uint64_t duration_us, bool first) {
    if (!first) {
        nd_fmt_char(out, ',');
    }
    nd_json_open(out);
    nd_json_u64(out, "id", result->id);
    nd_json_i64(out, "bytes", result->bytes);
    nd_json_i64(out, "retransmits", -1);
    member(out, "jitter");
    nd_fmt_fixed(out, result->jitter_ns, 9);
    nd_json_i64(out, "errors", result->errors);
    nd_json_i64(out, "omitted_errors", result->omitted_errors);
    nd_json_i64(out, "packets", result->packets);
    nd_json_i64(out, "omitted_packets", result->omitted_packets);
    nd_json_u64(out, "start_time", 0);
    member(out, "end_time");
    nd_fmt_fixed(out, duration_us, 6);
    nd_json_close(out);
}

void nd__iperf3_write_tail(struct nd_fmt *out) {
    nd_fmt_text(out, "]}");
}

/* ---- datagrams --------------------------------------------------------------------- */

const uint8_t nd__iperf3_hello[ND__IPERF3_HELLO_BYTES] = {'9', '8', '7', '6'};
const uint8_t nd__iperf3_welcome[ND__IPERF3_HELLO_BYTES] = {'6', '7', '8', '9'};

bool nd__iperf3_is_welcome(const uint8_t *bytes, uint32_t len) {
    uint32_t word;

    if (len != ND__IPERF3_HELLO_BYTES) {
        return false;
    }
    word = nd__bytes_u32(bytes);
    return word == 0x36373839u || /* "6789", 3.7 and later */
           word == 0xB168DE3Au || /* 987654321 of a little-endian host before that, */
           word == 0x3ADE68B1u || /* and of a big-endian one */
           word == 0x12345678u;   /* WIZnet's sample */
}

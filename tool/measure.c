/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure.h"

#include <stdio.h>
#include <string.h>

#include "nd/fmt.h"
#include "result.h"

/* Bytes on the wire beside the payload of a segment. */
#define TCP_IP_BYTES   40u /* IPv4 (RFC 791) and TCP (RFC 9293) headers without options */
#define IPV4_BYTES     20u /* RFC 791, without options */
#define IPV6_BYTES     40u /* RFC 8200, without extension headers */
#define UDP_BYTES      8u  /* RFC 768 */
#define ETHERNET_BYTES 18u /* addresses, type and FCS (IEEE 802.3) */
#define GAP_BYTES      20u /* preamble, start delimiter and the gap between frames */
#define LEAST_BYTES    46u /* a shorter frame is padded to this much behind the type */

/* A receiver whose span is shorter than this share of the sender's found much in its buffer [%]. */
#define SHORTEST_PCT 90u

struct measure_span measure_span_of(const struct nd_agent *agent,
                                    const struct nd_span_bytes *span) {
    return (struct measure_span){
        .bytes = span->bytes,
        .first_bytes = span->first_bytes,
        .first_ns = nd_agent_ns(agent, span->first),
        .last_ns = nd_agent_ns(agent, span->last),
        .elapsed_ticks = nd_span_elapsed(span),
        .busy_ticks =
            agent->cfg.idle_ticks != NULL ? (int64_t)nd_span_busy(span) : (int64_t)ND_NOT_SUPPORTED,
    };
}

static uint64_t number_of(const json_t *object, const char *key) {
    json_int_t value = json_integer_value(json_object_get(object, key));

    return value > 0 ? (uint64_t)value : 0;
}

bool measure_span_read(const json_t *report, const char *key, struct measure_span *span) {
    const json_t *object = json_object_get(report, key);
    const json_t *busy = json_object_get(object, "busy_ticks");

    if (!json_is_object(object)) {
        return false;
    }
    *span = (struct measure_span){
        .bytes = number_of(object, "bytes"),
        .first_bytes = number_of(object, "first_bytes"),
        .first_ns = number_of(object, "first_ns"),
        .last_ns = number_of(object, "last_ns"),
        .elapsed_ticks = number_of(object, "elapsed_ticks"),
        .busy_ticks = json_is_integer(busy) ? json_integer_value(busy) : (int64_t)ND_NOT_SUPPORTED,
    };
    return true;
}

/* True when the span has two instants, so that it has a rate. */
static bool has_rate(const struct measure_span *span) {
    return span->last_ns > span->first_ns && span->bytes > span->first_bytes;
}

int64_t measure_goodput_bit_s(const struct measure_span *span) {
    if (!has_rate(span)) {
        return ND_NO_SAMPLES;
    }
    return (int64_t)nd_fmt_muldiv(span->bytes - span->first_bytes, 8000000000u,
                                  span->last_ns - span->first_ns);
}

struct measure_span measure_rate_span(json_t *step, const struct measure_span *received,
                                      const struct measure_span *sent) {
    struct measure_span span = *received;
    uint64_t receiving_ns = received->last_ns - received->first_ns;
    uint64_t sending_ns = sent->last_ns - sent->first_ns;

    if (has_rate(sent) && receiving_ns < sending_ns * SHORTEST_PCT / 100) {
        span.first_bytes = sent->first_bytes;
        span.first_ns = sent->first_ns;
        span.last_ns = sent->last_ns;
        result_text(step, "span", "sender");
    }
    return span;
}

/* Payload of a frame that carries it behind so many bytes of headers [bit/s]. */
static uint64_t payload_bit_s(uint64_t link_bit_s, uint64_t payload_bytes, uint64_t header_bytes) {
    uint64_t inside = payload_bytes + header_bytes;

    if (inside < LEAST_BYTES) {
        inside = LEAST_BYTES;
    }
    return nd_fmt_muldiv(link_bit_s, payload_bytes, inside + ETHERNET_BYTES + GAP_BYTES);
}

uint64_t measure_wire_bit_s(uint64_t link_bit_s, uint64_t payload_bytes) {
    return payload_bit_s(link_bit_s, payload_bytes, TCP_IP_BYTES);
}

uint64_t measure_udp_header_bytes(uint8_t family) {
    return family == 6 ? IPV6_BYTES + UDP_BYTES : IPV4_BYTES + UDP_BYTES;
}

uint64_t measure_udp_wire_bit_s(uint64_t link_bit_s, uint64_t payload_bytes, uint8_t family) {
    return payload_bit_s(link_bit_s, payload_bytes, measure_udp_header_bytes(family));
}

/* most_bit_s: what the wire carries; 0 = not known, for want of the link's rate or of the MSS. */
static void add_wire_share(json_t *step, const struct measure_device *device, int64_t goodput_bit_s,
                           uint64_t most_bit_s) {
    if (device->link_bit_s == 0) {
        result_absent(step, "wire_share_pct", "link_rate_unknown");
    } else if (most_bit_s == 0) {
        result_absent(step, "wire_share_pct", "mss_unknown");
    } else if (goodput_bit_s < 0) {
        result_absent(step, "wire_share_pct", nd_absent_name(goodput_bit_s));
    } else {
        result_ratio(step, "wire_share_pct", (uint64_t)goodput_bit_s * 100, most_bit_s);
    }
}

static void add_goodput(json_t *step, const struct measure_device *device,
                        const struct measure_span *received, uint64_t most_bit_s) {
    int64_t goodput_bit_s = measure_goodput_bit_s(received);

    result_value(step, "rx_bytes", (int64_t)received->bytes);
    result_value(step, "elapsed_ns", (int64_t)(received->last_ns - received->first_ns));
    result_value(step, "goodput_bit_s", goodput_bit_s);
    add_wire_share(step, device, goodput_bit_s, most_bit_s);
}

void measure_add_goodput(json_t *step, const struct measure_device *device,
                         const struct measure_span *received, uint64_t payload_bytes) {
    if (payload_bytes == 0 || (device->mss_bytes > 0 && payload_bytes > device->mss_bytes)) {
        payload_bytes = device->mss_bytes;
    }
    add_goodput(step, device, received,
                payload_bytes > 0 ? measure_wire_bit_s(device->link_bit_s, payload_bytes) : 0);
}

void measure_add_udp_goodput(json_t *step, const struct measure_device *device,
                             const struct measure_span *received, uint64_t payload_bytes,
                             uint8_t family) {
    add_goodput(step, device, received,
                measure_udp_wire_bit_s(device->link_bit_s, payload_bytes, family));
}

void measure_add_busy(json_t *step, const struct measure_device *device,
                      const struct measure_span *span) {
    char key[48];

    snprintf(key, sizeof key, "busy_%s_per_byte", device->tick != NULL ? device->tick : "ticks");
    if (span->busy_ticks < 0 || !has_rate(span)) {
        const char *reason =
            nd_absent_name(span->busy_ticks < 0 ? span->busy_ticks : (int64_t)ND_NO_SAMPLES);
        result_absent(step, "busy_pct", reason);
        result_absent(step, key, reason);
        return;
    }
    result_ratio(step, "busy_pct", (uint64_t)span->busy_ticks * 100, span->elapsed_ticks);
    uint64_t busy = (uint64_t)span->busy_ticks;
    if (device->time_hz > 0) {
        busy = nd_fmt_muldiv(busy, 1000000000u, device->time_hz);
    }
    result_ratio(step, key, busy, span->bytes - span->first_bytes);
}

void measure_add_latency(json_t *step, const struct nd_hist *hist) {
    static const struct {
        const char *key;
        unsigned permille;
    } percentiles[] = {{"p50_ns", 500}, {"p90_ns", 900}, {"p99_ns", 990}, {"p999_ns", 999}};
    json_t *latency = json_object();

    result_value(latency, "samples", (int64_t)hist->count);
    result_value(latency, "min_ns", hist->count > 0 ? (int64_t)hist->min : (int64_t)ND_NO_SAMPLES);
    for (unsigned i = 0; i < sizeof percentiles / sizeof *percentiles; i++) {
        result_value(latency, percentiles[i].key,
                     hist->count > 0 ? (int64_t)nd_hist_percentile(hist, percentiles[i].permille)
                                     : (int64_t)ND_NO_SAMPLES);
    }
    result_value(latency, "max_ns", hist->count > 0 ? (int64_t)hist->max : (int64_t)ND_NO_SAMPLES);
    json_object_set_new(step, "latency", latency);
}

const char *measure_tick_word(const char *kind) {
    static const char *const words[][2] = {
        {"cycle", "cycles"}, {"instruction", "instructions"}, {"time", "ns"}};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (kind != NULL && strcmp(words[i][0], kind) == 0) {
            return words[i][1];
        }
    }
    return NULL;
}

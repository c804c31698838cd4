/* SPDX-License-Identifier: BSD-3-Clause */
/* measure.h - figures from byte counts and times; docs/method.md has the formulas. */
#ifndef ND_TOOL_MEASURE_H
#define ND_TOOL_MEASURE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "nd/agent.h"

/* One direction of a test, from this process's engine or from a device's report. */
struct measure_span {
    uint64_t bytes;
    uint64_t first_bytes; /* of these, at the first instant */
    uint64_t first_ns;
    uint64_t last_ns;
    uint64_t elapsed_ticks; /* from first to last */
    int64_t busy_ticks;     /* of these not idle, or enum nd_absent */
};

/* What the figures of a device refer to. */
struct measure_device {
    uint64_t link_bit_s; /* 0 = not known */
    uint64_t mss_bytes;  /* 0 = not known */
    const char *tick;    /* plural: "instructions"; NULL = not known */
    uint64_t time_hz;    /* rate of a tick that is time, to turn it into ns; else 0 */
};

/* From one's own engine. */
struct measure_span measure_span_of(const struct nd_agent *agent, const struct nd_span_bytes *span);

/* From the member `key` of a device's report; false when it is not there. */
bool measure_span_read(const json_t *report, const char *key, struct measure_span *span);

/* Bytes after the first instant over the time since it [bit/s], or ND_NO_SAMPLES. */
int64_t measure_goodput_bit_s(const struct measure_span *span);

/* Most payload that Ethernet carries in segments of payload_bytes each, in one direction, with
 * IPv4 and TCP headers without options [bit/s]. */
uint64_t measure_wire_bit_s(uint64_t link_bit_s, uint64_t payload_bytes);

/* The same in UDP datagrams of payload_bytes over IP of this family, 4 or 6. */
uint64_t measure_udp_wire_bit_s(uint64_t link_bit_s, uint64_t payload_bytes, uint8_t family);

/* IP (family 4 or 6, without options) and UDP headers of a datagram [byte]. */
uint64_t measure_udp_header_bytes(uint8_t family);

/* The span that a test's rate is taken from: the receiver's; or the sender's, which the step then
 * says, where the receiver's is so much shorter that it read what had long been in its buffer. */
struct measure_span measure_rate_span(json_t *step, const struct measure_span *received,
                                      const struct measure_span *sent);

/* Add received bytes, goodput and its share of the wire. payload_bytes: per segment, 0 = MSS. */
void measure_add_goodput(json_t *step, const struct measure_device *device,
                         const struct measure_span *received, uint64_t payload_bytes);

/* The same of datagrams of payload_bytes each over IP of this family, 4 or 6. */
void measure_add_udp_goodput(json_t *step, const struct measure_device *device,
                             const struct measure_span *received, uint64_t payload_bytes,
                             uint8_t family);

/* Add the share of time in which the device's processor was busy, and its work per byte. */
void measure_add_busy(json_t *step, const struct measure_device *device,
                      const struct measure_span *span);

/* Add "latency": the round trips of a histogram in ns. */
void measure_add_latency(json_t *step, const struct nd_hist *hist);

/* The word for the ticks of a clock kind as a device names it ("instruction" ...): a plural for
 * keys; NULL for an unknown one. */
const char *measure_tick_word(const char *kind);

#endif
